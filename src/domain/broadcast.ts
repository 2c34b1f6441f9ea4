/** What a calendar of broadcasts in Japan says. It is a witness beside the source, and never a source itself. */
export interface Calendar {
  /** When it was read, ms since 1970. */
  readAt: number;
  media: readonly Medium[];
  /** In the order of their times. */
  broadcasts: readonly (Broadcast & { mediumId: number })[];
}

/** An anime as the calendar has it. */
export interface Medium {
  /** Its number at AniList, and at MyAnimeList. */
  id: number;
  idMal: number | null;
  romaji: string | null;
  english: string | null;
  native: string | null;
  synonyms: readonly string[];
}

export interface Broadcast {
  episode: number;
  /** ms since 1970 */
  at: number;
}

/** What the calendar says of one anime of the source: under which numbers others know it, and when it is broadcast. */
export interface BroadcastWitness {
  ids: { anilist: number; mal: number | null };
  english: string | null;
  /** From some days back to two weeks ahead, in the order of their times. */
  broadcasts: readonly Broadcast[];
}

/** `down`: the last reading failed. `absent`: there was none yet. */
export interface CalendarState {
  state: 'ok' | 'down' | 'absent';
  /** When it was last read well, ms since 1970. */
  readAt: number | null;
}

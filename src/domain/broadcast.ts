/** What a calendar of broadcasts in Japan says. It is a witness beside the source, and never a source itself. */
export interface Calendar {
  /** When it was read, ms since 1970. */
  readAt: number;
  media: readonly Medium[];
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
  /** From some days back to two weeks ahead, in the order of their times. */
  broadcasts: readonly Broadcast[];
}

export interface Broadcast {
  episode: number;
  /** ms since 1970 */
  at: number;
}

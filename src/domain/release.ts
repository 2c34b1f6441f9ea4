import type { AnimeRecord } from './anime-record.ts';

/** `out`: released. `expected`: not yet. `late`: its window is over, and it is not out. */
export type ReleaseState = 'out' | 'expected' | 'late';

/** An episode that came out or comes on a day. */
export interface Release {
  record: AnimeRecord;
  /** Null where only the schedule has the anime. */
  episode: number | null;
  /** `2026-11-20` in the service's time zone; of a late one, today. */
  day: string;
  state: ReleaseState;
  /** ms since 1970; null where only the day is known. */
  releasedAt: number | null;
  /** ms since 1970; null where only the slot of the schedule tells the day. */
  expectedAt: number | null;
}

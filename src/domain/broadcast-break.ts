import type { AnimeRecord } from './anime-record.ts';
import { releaseTime } from './episode-history.ts';
import { DAY_MS } from './units.ts';

/** A break that a calendar of broadcasts knows of: no episode comes at the usual time. Times in ms since 1970. */
export interface BroadcastBreak {
  /** When an episode would usually have come, once for each that is skipped. */
  skipped: readonly number[];
  resumesAt: number;
}

type BreakOf = Pick<AnimeRecord, 'episodes' | 'assumed' | 'next'>;

/** Finds the break between the newest episode and the next one, which only a broadcast proves. */
export function findBreak({ episodes, assumed, next }: BreakOf): BroadcastBreak | undefined {
  const last = assumed.at(-1)?.expectedAt ?? (episodes[0] && releaseTime(episodes[0]));
  if (!next || last === undefined || next.basis !== 'broadcast') return undefined;
  const { expectedAt: resumesAt, periodMs } = next;
  // A slot that is half a day early still counts.
  const slots = Math.floor((resumesAt - last + DAY_MS / 2) / periodMs);
  if (slots < 2) return undefined;
  const skipped = Array.from({ length: slots - 1 }, (_, index) => last + (index + 1) * periodMs);
  return { skipped, resumesAt };
}

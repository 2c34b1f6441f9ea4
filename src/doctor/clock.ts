import type { SnapshotStore } from '../crawler/snapshot-store.ts';
import { timeFormatter } from '../domain/units.ts';
import { type Check, ok, problem } from './check.ts';
import { inWords } from './format.ts';

/** Tayang is younger than this: an earlier time is a clock that was never set. */
const EARLIEST = Date.parse('2026-01-01T00:00:00Z');
const MAX_BEHIND_MS = 60_000;

export interface ClockOptions {
  timeZone: string;
  now: () => number;
  openStore: () => Promise<SnapshotStore>;
}

/** Expiry, the timer and every date lean on the clock. What the store remembers cannot lie ahead. */
export function checkClock({ timeZone, now, openStore }: ClockOptions): Check {
  return {
    name: 'Clock',
    async *find() {
      const time = `it is ${timeFormatter(timeZone)(now())} in ${timeZone}`;
      const mend = "set this machine's clock, or mend TIME_ZONE if only the hour is wrong";
      const status = await openStore()
        .then((store) => store.readStatus())
        .catch(() => undefined);
      const aheadMs = (status?.attemptedAt ?? 0) - now();
      if (now() < EARLIEST) yield problem(`${time}, which cannot be; ${mend}`);
      else if (aheadMs > MAX_BEHIND_MS) {
        yield problem(`${time}, and the last crawl ended ${inWords(aheadMs)} later than that; ${mend}`);
      } else yield ok(`${time} (TIME_ZONE)`);
    },
  };
}

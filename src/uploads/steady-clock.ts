import { AppError } from '../domain/errors.ts';
import type { Report } from '../domain/operational-event.ts';

/** The two clocks of uploads, in ms since 1970. They agree unless the wall clock was set forward a moment ago. */
export interface UploadClocks {
  /** Wall clock: decides whether an upload has expired. */
  now: () => number;
  /** Dates what is stored: a clock as `createSteadyClock` makes it, so that a jump forward lengthens no life. */
  steadyNow: () => number;
}

/** What is reported; ordinary corrections of a clock are smaller. */
const MIN_JUMP_MS = 10_000;
/** A clock before 2020 is one that nobody has set yet, as on a machine without a battery that has just started. */
const MIN_PLAUSIBLE_MS = Date.UTC(2020, 0);
/** Machines set their clock as soon as they reach a time server. */
const UNSET_RETRY_MS = 30_000;
/** How long a clock that was set forward has to stay so before files are deleted and dated by it. */
const MIN_PERSISTED_MS = 60_000;

/**
 * Returns a clock for deletions and for the dates of what is stored, in ms since 1970, which is never ahead of the wall clock
 * `now`. It follows one that was set forward only after a minute or two, so that a clock that is wrong for a moment deletes
 * nothing, and what is stored meanwhile does not live longer. A clock that was not set at all is forgotten once it is set.
 */
export function createSteadyClock(now: () => number, elapsedMs: () => number, report: Report): () => number {
  // By how much the wall clock was ahead of the monotonic one: the least since `since`, and the least in the period before.
  let [least, before, since] = [Infinity, Infinity, -Infinity];
  let latest = Infinity;

  return () => {
    const elapsed = elapsedMs();
    const wall = now();
    if (wall < MIN_PLAUSIBLE_MS) {
      [least, before, since, latest] = [Infinity, Infinity, -Infinity, Infinity];
      return wall;
    }
    const ahead = wall - elapsed;
    if (elapsed - since >= MIN_PERSISTED_MS) [before, least, since] = [least, ahead, elapsed];
    if (ahead - latest > MIN_JUMP_MS) report({ type: 'clock-jumped', byMs: ahead - latest });
    latest = ahead;
    least = Math.min(least, ahead);
    // The wall clock has whole milliseconds.
    return Math.ceil(elapsed + Math.min(before, least));
  };
}

/** The longest that the steady clock takes to follow, rounded up. */
const RETRY_MS = 2 * MIN_PERSISTED_MS;

/**
 * Has to be called before something that ends at `expiresAt` is acknowledged. Throws AppError `expired` when that time is
 * past, `clock-ahead` when it is past by the wall clock alone, because every request for it would get 410 at once, and
 * `clock-unset`.
 */
export function requireUnexpired(expiresAt: number, { now, steadyNow }: UploadClocks): void {
  if (now() < MIN_PLAUSIBLE_MS)
    throw new AppError('clock-unset', 'the clock of this service is not set yet; try again in a moment', {
      retryAfterMs: UNSET_RETRY_MS,
    });
  if (expiresAt <= steadyNow())
    throw new AppError('expired', 'this file expired before all of it had arrived');
  if (expiresAt > now()) return;
  const message = 'the clock of this service was set forward a moment ago; try again in two minutes';
  throw new AppError('clock-ahead', message, { retryAfterMs: RETRY_MS });
}

import type { OngoingAnime } from '../domain/listing.ts';
import { datedBefore, shortDate, sourceDate, startOfSourceDate } from '../domain/source-date.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../domain/units.ts';
import type { ClockMemory } from '../store/source-status.ts';

/** The clocks of the machines that share a store may differ by this much. */
export const MAX_SKEW_MS = MINUTE_MS;
/** A longer gap between two attempts may be a leap of the clock, and is remembered for a while. */
const MIN_LEAP_MS = 30 * MINUTE_MS;
const LEAP_KEPT_MS = 6 * HOUR_MS;
/** A clock that stays behind the stored times for so long is right. */
const MAX_BEHIND_MS = HOUR_MS;

/**
 * The time of an attempt: the clock's, unless it is behind the last attempt. Then either the last attempt was made by a
 * clock that was ahead, as the one before shows, or this clock is behind: the time of the last attempt is nearer then.
 * `fitsList`: whether the clock fits the newest card, which decides after a first attempt. `wasAhead`: whether stored
 * moments after `now` are of a clock that was ahead.
 */
export function readClock(
  clock: number,
  last: number | null,
  { leap, behindSince }: ClockMemory,
  fitsList: boolean,
): { now: number; memory: ClockMemory; wasAhead: boolean } {
  if (last === null || clock >= last - MAX_SKEW_MS) {
    const isLeap = last === null || clock - last > MIN_LEAP_MS;
    const known = leap && clock < leap.to + LEAP_KEPT_MS ? leap : null;
    const memory = { leap: isLeap ? { from: last, to: clock } : known, behindSince: null };
    return { now: Math.max(clock, last ?? 0), memory, wasAhead: false };
  }
  const wasLastAhead = leap !== null && (leap.from === null ? fitsList : clock >= leap.from - MAX_SKEW_MS);
  const isLasting = behindSince !== null && clock >= behindSince + MAX_BEHIND_MS;
  if (wasLastAhead || isLasting)
    return { now: clock, memory: { leap: null, behindSince: null }, wasAhead: true };
  const since = Math.min(behindSince ?? clock, clock);
  return { now: last, memory: { leap, behindSince: since }, wasAhead: false };
}

/**
 * A stored value whose moments after `now` are of `now`; no other number in it is as large. The days of cards only
 * change their year: the source gives day and month.
 */
export function withoutFuture<Value>(value: Value, now: number): Value {
  const tomorrow = sourceDate(now + DAY_MS);
  return JSON.parse(JSON.stringify(value), (key, one) => {
    if (typeof one === 'number' && one > now) return now;
    const isLater = key === 'date' && /^\d{4}-/u.test(one) && one > tomorrow;
    return isLater ? datedBefore(shortDate(startOfSourceDate(one)), now) : one;
  });
}

/** Cards of a list come almost daily. */
const MAX_CARD_AGE_MS = 3 * DAY_MS;
/** Where clocks differ by more, a list that has stood still for a week decides as well. */
const FAR_APART_MS = 30 * DAY_MS;
const MAX_OLD_CARD_AGE_MS = 15 * DAY_MS;

/**
 * Whether the newest card of a list is of a day that fits this clock, which is behind another one by `behindMs`: of its day or one of
 * the two before, or of the last two weeks where the clocks are far apart.
 */
export function fitsList([newest]: readonly OngoingAnime[], clock: number, behindMs: number): boolean {
  const ageMs = newest ? clock - startOfSourceDate(datedBefore(newest.date, clock)) : 0;
  return ageMs >= 0 && ageMs < (behindMs > FAR_APART_MS ? MAX_OLD_CARD_AGE_MS : MAX_CARD_AGE_MS);
}

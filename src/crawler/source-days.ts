import { sourceDate, startOfSourceDate } from '../domain/source-date.ts';
import { DAY_MS, HOUR_MS } from '../domain/units.ts';
import type { SourceState, Status } from './source-state.ts';

const MAX_SOURCE_DAYS = 90;
/** The longest backoff is six hours: after a longer time without an attempt, nobody knows how the source was. */
const MAX_GAP_MS = 7 * HOUR_MS;

/** For how long the source was in each state on a day of its calendar, in ms. */
export interface SourceDay {
  /** `2026-11-20` */
  date: string;
  ms: Partial<Record<SourceState, number>>;
}

/** The days after an attempt at `now`: the time since the one before counts for the state that was found then. */
export function countSourceDays({ days, state, attemptedAt }: Status, now: number): SourceDay[] {
  const [first, today] = [sourceDate(now - (MAX_SOURCE_DAYS - 1) * DAY_MS), sourceDate(now)];
  const kept = days.filter(({ date }) => date >= first && date <= today);
  const byDate = new Map(kept.map(({ date, ms }) => [date, ms]));
  let from = state === null || attemptedAt === null || now - attemptedAt > MAX_GAP_MS ? now : attemptedAt;
  while (state !== null && from < now) {
    const date = sourceDate(from);
    const until = Math.min(now, startOfSourceDate(date) + DAY_MS);
    const ms = byDate.get(date) ?? {};
    byDate.set(date, { ...ms, [state]: (ms[state] ?? 0) + until - from });
    from = until;
  }
  return [...byDate].map(([date, ms]) => ({ date, ms }));
}

import type { AppError } from '../domain/errors.ts';
import { sourceDate, startOfSourceDate } from '../domain/source-date.ts';
import { DAY_MS, HOUR_MS } from '../domain/units.ts';
import type { SourceDay, SourceHealth, SourceState, Status } from '../store/source-status.ts';

const MAX_SOURCE_DAYS = 90;
/** The longest backoff is six hours: after a longer time without an attempt, nobody knows how the source was. */
const MAX_GAP_MS = 7 * HOUR_MS;

/** What an attempt at `now` found; `reason`: null where the source is ok. */
export function nextHealth(
  { health, attempts }: Status,
  state: SourceState,
  reason: string | null,
  now: number,
): SourceHealth {
  return {
    state,
    reason,
    since: health.state === state ? health.since : now,
    troubleSince: state === 'ok' ? null : (health.troubleSince ?? now),
    days: countSourceDays(health, attempts.attemptedAt, now),
  };
}

/** What a failed refresh says of the source. `source-changed` is the code of a page which is the site's. */
export function stateOf({ code }: AppError): SourceState {
  return (['blocked', 'moved', 'down'] as const).find((state) => code === `source-${state}`) ?? 'changed';
}

/** The days after an attempt at `now`: the time since the one before counts for the state that was found then. */
export function countSourceDays(
  { days, state }: Pick<SourceHealth, 'days' | 'state'>,
  attemptedAt: number | null,
  now: number,
): SourceDay[] {
  const first = sourceDate(now - (MAX_SOURCE_DAYS - 1) * DAY_MS);
  const today = sourceDate(now);
  const kept = days.filter(({ date }) => date >= first && date <= today);
  if (state === null || attemptedAt === null || now - attemptedAt > MAX_GAP_MS) return kept;
  const byDate = new Map(kept.map(({ date, ms }) => [date, ms]));
  for (let from = attemptedAt; from < now; ) {
    const date = sourceDate(from);
    const until = Math.min(now, startOfSourceDate(date) + DAY_MS);
    const ms = byDate.get(date) ?? {};
    byDate.set(date, { ...ms, [state]: (ms[state] ?? 0) + until - from });
    from = until;
  }
  return [...byDate].map(([date, ms]) => ({ date, ms }));
}

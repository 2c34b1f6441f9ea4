import type { AppError } from '../domain/errors.ts';
import type { Report } from '../domain/operational-event.ts';
import { sourceDate, startOfSourceDate } from '../domain/source-date.ts';
import { DAY_MS, HOUR_MS } from '../domain/units.ts';
import type { SelectorRepair } from '../source/source.ts';
import type { Repair, SourceDay, SourceState, Status } from '../store/source-status.ts';

/** The backoff while there is no snapshot to serve: it doubles from the first to the second of these. */
const FIRST_CRAWL_BACKOFF_MS = 30_000;
const MAX_FIRST_CRAWL_BACKOFF_MS = 5 * 60_000;
/** A longer Retry-After than this is cut. */
const MAX_RETRY_AFTER_MS = 6 * HOUR_MS;

/** What a good crawl and a good peek both update. */
export type GoodRead = Pick<
  Status,
  | 'mirror'
  | 'askedMirror'
  | 'mirrorFailures'
  | 'changedAt'
  | 'firstPage'
  | 'readAt'
  | 'unchangedSince'
  | 'standsStill'
  | 'peekDueAt'
>;

/**
 * `good` is empty when page 1 was not read successfully: the next crawl counts as overdue then. Page 1 does not show that
 * pages are good again that a crawl has refused.
 */
export function afterPeek(status: Status, now: number, good: Partial<GoodRead>): Status {
  const [state, reason] =
    status.state === 'changed' ? (['changed', status.reason] as const) : (['ok', null] as const);
  return { ...enter(status, state, reason, now), ...good };
}

/** `intervalMs`: the minimum time between two attempts; `maxMs`: the longest backoff, where there is a snapshot. */
export function afterFailure(
  status: Status,
  now: number,
  error: AppError,
  { intervalMs, maxMs, hasSnapshot }: { intervalMs: number; maxMs: number; hasSnapshot: boolean },
): Status {
  const failures = status.failures + 1;
  // With a snapshot, there is none after the first failure, which waits for the timer; then it is of 1, 3, 7, … intervals.
  const backoffMs = hasSnapshot
    ? Math.min((2 ** (failures - 1) - 1) * intervalMs, maxMs)
    : Math.min(FIRST_CRAWL_BACKOFF_MS * 2 ** (failures - 1), MAX_FIRST_CRAWL_BACKOFF_MS);
  const waitMs = Math.max(backoffMs, Math.min(error.retryAfterMs ?? 0, MAX_RETRY_AFTER_MS));
  return {
    ...enter(status, stateOf(error), error.message, now),
    failures,
    retryAt: waitMs > 0 ? now + waitMs : null,
  };
}

/** An attempt that found this. It has no backoff, unless it failed. */
export function enter(status: Status, state: SourceState, reason: string | null, now: number): Status {
  const days = countSourceDays(status, now);
  const since = status.state === state ? status.since : now;
  const troubleSince = state === 'ok' ? null : (status.troubleSince ?? now);
  return {
    ...status,
    state,
    reason,
    since,
    troubleSince,
    days,
    attemptedAt: now,
    failures: 0,
    retryAt: null,
  };
}

/** A refresh fails by the codes of the source alone; `source-changed` is that of a page which is the site's. */
function stateOf({ code }: AppError): SourceState {
  return (['blocked', 'moved', 'down'] as const).find((state) => code === `source-${state}`) ?? 'changed';
}

/** Adds to each repair of a crawl the time of its first use. Reports the repairs that are new and those that ended. */
export function noteRepairs(
  before: readonly Repair[],
  repairs: readonly SelectorRepair[],
  now: number,
  report: Report,
): Repair[] {
  const noted = repairs.map((repair) => ({ ...repair, since: findSame(before, repair)?.since ?? now }));
  const begun = noted.filter((repair) => !findSame(before, repair));
  const ended = before.filter(({ field }) => !repairs.some((repair) => repair.field === field));
  if (begun.length > 0) report({ type: 'selectors-repaired', repairs: begun });
  if (ended.length > 0) report({ type: 'selectors-restored', fields: ended.map(({ field }) => field) });
  return noted;
}

function findSame(repairs: readonly Repair[], { field, was, now }: SelectorRepair): Repair | undefined {
  return repairs.find((one) => one.field === field && one.was === was && one.now === now);
}

const MAX_SOURCE_DAYS = 90;
/** The longest backoff is six hours: after a longer time without an attempt, nobody knows how the source was. */
const MAX_GAP_MS = 7 * HOUR_MS;

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

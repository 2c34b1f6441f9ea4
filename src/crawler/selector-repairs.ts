import { AppError } from '../domain/errors.ts';
import type { Report } from '../domain/operational-event.ts';
import { excerpt } from '../domain/text.ts';
import type { RepairResult, SelectorRepair } from '../source/source.ts';

const MAX_REASON_LENGTH = 500;

/** A selector that is used in place of the written one. */
export interface Repair extends SelectorRepair {
  /** The end of the crawl that first read by it, ms since 1970. */
  since: number;
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

/** Returns the error with the repairs that were tried, and with the reason if there were none. */
export function explainRepair(error: AppError, { repairs, failure }: RepairResult): AppError {
  const tried = repairs.map(({ field, was, now }) => `${field} ${was} → ${now}`).join(', ');
  const reasons = [
    ...(tried ? [`its selectors were repaired: ${tried}`] : []),
    ...(failure && !error.message.includes(failure) ? [`its selectors cannot be repaired: ${failure}`] : []),
  ];
  if (error.code !== 'source-changed' || reasons.length === 0) return error;
  const reason = [excerpt(error.message, MAX_REASON_LENGTH), ...reasons].join('; ');
  return new AppError(error.code, reason, { cause: error, retryAfterMs: error.retryAfterMs });
}

function findSame(repairs: readonly Repair[], { field, was, now }: SelectorRepair): Repair | undefined {
  return repairs.find((one) => one.field === field && one.was === was && one.now === now);
}

import type { Report } from '../domain/operational-event.ts';
import type { SelectorRepair } from '../source/source.ts';
import type { Repair } from '../store/source-status.ts';

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

import type { OngoingPage, SchedulePage } from '../source/source.ts';
import type { PageReader, Reading } from './page-reader.ts';

export interface MirrorVisit {
  mirror: string;
  schedule: Reading<SchedulePage>;
  /** Asked for only where the schedule is not what it should be: is that the page's fault or the host's? */
  ongoing: Reading<OngoingPage> | undefined;
}

/** The pages of the first mirror that serves the site. */
export interface SitePages {
  origin: string;
  schedule: Reading<SchedulePage>;
  first: Reading<OngoingPage>;
  /** Undefined where there is one page, or the first says nothing of how many there are. */
  last: Reading<OngoingPage> | undefined;
}

export function servesSite({ schedule, ongoing }: MirrorVisit): boolean {
  return Boolean(schedule.result.parsed ?? ongoing?.result.parsed);
}

export async function visitMirror(reader: PageReader, mirror: string): Promise<MirrorVisit> {
  const schedule = await reader.schedule(mirror);
  const isForeign = ['source-moved', 'source-changed'].includes(schedule.result.error?.code ?? '');
  return { mirror, schedule, ongoing: isForeign ? await reader.ongoing(mirror, 1) : undefined };
}

/** Undefined when no mirror serves the site. */
export async function readSite(
  reader: PageReader,
  visits: readonly MirrorVisit[],
): Promise<SitePages | undefined> {
  const visit = visits.find(servesSite);
  if (!visit) return undefined;
  const { origin } = new URL((visit.ongoing ?? visit.schedule).url);
  const first = visit.ongoing ?? (await reader.ongoing(origin, 1));
  const lastNumber = first.result.parsed?.lastNumber ?? 1;
  const last = lastNumber > 1 ? await reader.ongoing(origin, lastNumber) : undefined;
  return { origin, schedule: visit.schedule, first, last };
}

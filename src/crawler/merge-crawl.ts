import type { Listing } from '../domain/listing.ts';
import type { CardOmission, Report } from '../domain/operational-event.ts';
import type { Crawl } from './crawl.ts';
import { findMissing } from './find-missing.ts';
import { mergeOngoing, mergeSchedule } from './merge-pages.ts';

/** Merges the pages of a crawl into a listing. Reports unreadable cards and missing anime. */
export function mergeCrawl(crawled: Crawl, lastGood: Listing | undefined, report: Report): Listing {
  const schedule = mergeSchedule(crawled.schedule, lastGood?.schedule ?? []);
  const ongoing = mergeOngoing(crawled.pages, crawled.firstAgain, lastGood?.ongoing ?? []);
  reportOmissions([...schedule.omissions, ...ongoing.omissions], report);
  const listing = { schedule: schedule.part, ongoing: ongoing.part };
  for (const missing of findMissing(listing, lastGood, crawled))
    report({ type: 'anime-missing', ...missing });
  return listing;
}

export function reportOmissions(omissions: readonly CardOmission[], report: Report): void {
  for (const omission of omissions) report({ type: 'card-omitted', ...omission });
}

import type { OngoingPage, SchedulePage } from '../source.ts';

/**
 * A site: where its pages are, and one pure parser a page. A parser throws AppError `source-moved` when the page
 * is not the site's at all, `source-changed` when it is, but not in the form that the parser knows.
 */
export interface Site {
  readonly name: string;
  readonly schedulePath: string;
  ongoingPath(page: number): string;
  parseSchedule(html: string, pageUrl: string): SchedulePage;
  parseOngoing(html: string, pageUrl: string): OngoingPage;
}

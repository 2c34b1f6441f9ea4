import type { PageModel } from '../repair/page-model.ts';
import type { AnimePage, OngoingPage, SchedulePage } from '../source.ts';

/** The paths of a site's pages, and how each kind of page is read. */
export interface Site {
  readonly name: string;
  readonly schedulePath: string;
  ongoingPath(page: number): string;
  readonly schedule: PageModel<SchedulePage>;
  readonly ongoing: PageModel<OngoingPage>;
  animePath(slug: string): string;
  /** Throws AppError `source-moved` for a page of another site, `source-changed` for one that is not of an anime. */
  parseAnime(html: string, pageUrl: string): AnimePage;
}

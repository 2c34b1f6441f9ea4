import type { Listing } from '../../domain/listing.ts';
import type { KnownAnime, PageModel } from '../repair/page-model.ts';
import type { OngoingPage, SchedulePage } from '../source.ts';

/**
 * The paths of a site's pages, and a pure parser for each kind of page. A parser throws AppError `source-moved` for a
 * page of another site, `source-changed` for a page of this site whose markup it does not know.
 */
export interface Site {
  readonly name: string;
  readonly schedulePath: string;
  ongoingPath(page: number): string;
  parseSchedule(html: string, pageUrl: string): SchedulePage;
  parseOngoing(html: string, pageUrl: string): OngoingPage;
  readonly schedule: PageKind<SchedulePage>;
  readonly ongoing: PageKind<OngoingPage>;
}

/** A kind of page whose selectors can be repaired. */
export interface PageKind<Parsed> {
  readonly model: PageModel<Parsed>;
  /** The anime of a listing that are on such a page, by slug. */
  knownFrom(listing: Listing): ReadonlyMap<string, KnownAnime>;
}

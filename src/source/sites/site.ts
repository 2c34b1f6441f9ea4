import type { PageModel } from '../repair/page-model.ts';
import type { OngoingPage, SchedulePage } from '../source.ts';

/** The paths of a site's pages, and how each kind of page is read. */
export interface Site {
  readonly name: string;
  readonly schedulePath: string;
  ongoingPath(page: number): string;
  readonly schedule: PageModel<SchedulePage>;
  readonly ongoing: PageModel<OngoingPage>;
}

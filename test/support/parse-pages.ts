import type { PageModel } from '../../src/source/repair/page-model.ts';
import { otakudesu } from '../../src/source/sites/otakudesu/site.ts';

/** Parses a page of the ongoing list by the selectors of the site. */
export const parseOngoing = parserOf(otakudesu.ongoing);
export const parseSchedule = parserOf(otakudesu.schedule);

function parserOf<Parsed>({ open, read, selectors }: PageModel<Parsed>) {
  return (html: string, pageUrl: string): Parsed => read(open(html), pageUrl, selectors);
}

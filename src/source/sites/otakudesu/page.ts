import { AppError } from '../../../domain/errors.ts';
import { excerpt } from '../../../domain/text.ts';
import { parseSlug } from '../../address.ts';
import { textOf } from '../../markup/elements.ts';
import { hasTooManyTags, type Page, parseMarkup } from '../../markup/page.ts';
import { ONGOING_SELECTORS, SCHEDULE_SELECTORS } from './selectors.ts';

/** The containers of the list and of the schedule. They identify the site even when a list is empty. */
const CONTAINERS = [ONGOING_SELECTORS.list, SCHEDULE_SELECTORS.list, '.kglist321'];

/**
 * Parses a page. Throws AppError `source-changed` when it is larger than any page of the site, `source-moved` when it is
 * also not the site's.
 */
export function openPage(html: string): Page {
  if (hasTooManyTags(html) && !CONTAINERS.some((container) => html.includes(container.slice(1))))
    throwForeign();
  return parseMarkup(html);
}

/** Throws AppError `source-moved` when the page has neither the site's containers nor `container`. */
export function checkOrigin(page: Page, container: string): void {
  if (![...CONTAINERS, container].some((one) => page.find(one).length > 0)) throwForeign(page);
}

function throwForeign(page?: Page): never {
  const reason = `the page is not the site's: it has neither a list nor a schedule${titleOf(page)}`;
  throw new AppError('source-moved', `${reason}; set SOURCE_URLS to the site's present address`);
}

/** The title of a page that is another one than was wanted, as the end of a message. */
export function titleOf(page: Page | undefined): string {
  const title = page?.find('title')[0];
  return title ? `, and is titled "${excerpt(textOf(title), 80)}"` : '';
}

/** The slugs of all anime that the page links to, without duplicates. */
export function listLinkedSlugs(page: Page, pageUrl: string): string[] {
  return [...new Set(page.find('a').flatMap(({ attribs }) => parseSlug(attribs.href, pageUrl) ?? []))];
}

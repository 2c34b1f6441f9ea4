import { load } from 'cheerio/slim';
import { AppError } from '../../../domain/errors.ts';
import { excerpt } from '../../../domain/text.ts';
import { readSlug } from '../../address.ts';
import { indexElements } from './element-index.ts';
import { type Element, isWithin, textOf } from './elements.ts';

/** The frames of the list and of the schedule. They count, not the cards: an empty list of the site is the site's. */
const FRAMES = ['.venz', '.kgjdwl321', '.kglist321'];

/** A page of the site has a thousand. More of them can keep the HTML parser itself busy for minutes. */
const MAX_TAGS = 20_000;
const MAX_CARDS = 1_000;

/** A page whose elements were looked at once: a dozen searches of its tree would cost twice what parsing it does. */
export interface Page {
  /** What matches `tag`, `.class`, or one of them within another (`.thumb a`), in the order of the page. */
  find(selector: string): Element[];
}

/**
 * Loads a page of the site. Throws AppError `source-moved` when no frame is there: the page is somebody else's;
 * `source-changed` when it is larger than any page of the site.
 */
export function openPage(html: string): Page {
  if (hasMoreTags(html, MAX_TAGS)) {
    if (!FRAMES.some((frame) => html.includes(frame.slice(1)))) refuseForeign();
    throw new AppError('source-changed', `the page has more than ${MAX_TAGS} tags`);
  }
  const index = indexElements(load(html).root().contents().toArray());
  if (!FRAMES.some((frame) => index.has(frame))) refuseForeign(index.get('title')?.[0]);
  return {
    find(selector) {
      const [name = '', ...around] = selector.split(' ').reverse();
      const found = index.get(name) ?? [];
      const frames = around.map((frame) => new Set(index.get(frame)));
      return found.filter((element) => frames.every((frame) => isWithin(element, frame)));
    },
  };
}

/** Counts what can be a tag: each begins with `<`. */
function hasMoreTags(html: string, max: number): boolean {
  let count = 0;
  for (let at = html.indexOf('<'); at !== -1 && count <= max; at = html.indexOf('<', at + 1)) count += 1;
  return count > max;
}

function refuseForeign(element?: Element): never {
  const title = element ? excerpt(textOf(element), 80) : '';
  throw new AppError(
    'source-moved',
    `the page is not the site's: it has neither a list nor a schedule${title ? `, and is titled "${title}"` : ''}; set SOURCE_URLS to the site's present address`,
  );
}

/** Throws AppError `source-changed` when these are more cards than a page of the site can have. */
export function checkCardCount(count: number): void {
  if (count > MAX_CARDS) throw new AppError('source-changed', `the page has more than ${MAX_CARDS} cards`);
}

/** The slugs of all anime that the page links to, each once. */
export function readLinked(page: Page, pageUrl: string): string[] {
  const addresses = new Set(readAddresses(page).filter((address) => address.includes('/anime/')));
  return [...new Set([...addresses].flatMap((address) => readSlug(address, pageUrl) ?? []))];
}

/** Where all links of the page lead, as they are written. */
export function readAddresses(page: Page): string[] {
  return page.find('a').flatMap((link) => link.attribs.href ?? []);
}

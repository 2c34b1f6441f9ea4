import { load } from 'cheerio/slim';
import { AppError } from '../../../domain/errors.ts';
import { excerpt } from '../../../domain/text.ts';
import { parseSlug } from '../../address.ts';
import { indexElements } from './element-index.ts';
import { type Element, isWithin, textOf } from './elements.ts';

/** The containers of the list and of the schedule. They identify the site even when a list is empty. */
const CONTAINERS = ['.venz', '.kgjdwl321', '.kglist321'];

/** A page of the site has a thousand tags. A very large number can keep the HTML parser busy for minutes. */
const MAX_TAGS = 20_000;
const MAX_CARDS = 1_000;

/** A parsed page with an index of its elements: searching the tree for each field would cost twice the parsing. */
export interface Page {
  /** The elements that match `tag`, `.class` or a descendant selector of these (`.thumb a`), in page order. */
  find(selector: string): Element[];
}

/**
 * Parses a page of the site. Throws AppError `source-moved` when it has none of the site's containers, `source-changed`
 * when it is larger than any page of the site.
 */
export function parsePage(html: string): Page {
  if (hasMoreTags(html, MAX_TAGS)) {
    if (!CONTAINERS.some((container) => html.includes(container.slice(1)))) throwForeign();
    throw new AppError('source-changed', `the page has more than ${MAX_TAGS} tags`);
  }
  const index = indexElements(load(html).root().contents().toArray());
  if (!CONTAINERS.some((container) => index.has(container))) throwForeign(index.get('title')?.[0]);
  return {
    find(selector) {
      const [name = '', ...around] = selector.split(' ').reverse();
      const found = index.get(name) ?? [];
      const containers = around.map((container) => new Set(index.get(container)));
      return found.filter((element) => containers.every((container) => isWithin(element, container)));
    },
  };
}

/** Counts `<`, which begins every tag, without parsing. */
function hasMoreTags(html: string, max: number): boolean {
  let count = 0;
  for (let at = html.indexOf('<'); at !== -1 && count <= max; at = html.indexOf('<', at + 1)) count += 1;
  return count > max;
}

function throwForeign(element?: Element): never {
  const title = element ? excerpt(textOf(element), 80) : '';
  throw new AppError(
    'source-moved',
    `the page is not the site's: it has neither a list nor a schedule${title ? `, and is titled "${title}"` : ''}; set SOURCE_URLS to the site's present address`,
  );
}

/** Throws AppError `source-changed` for more cards than a page of the site can have. */
export function checkCardCount(count: number): void {
  if (count > MAX_CARDS) throw new AppError('source-changed', `the page has more than ${MAX_CARDS} cards`);
}

/** The slugs of all anime that the page links to, without duplicates. */
export function listLinkedSlugs(page: Page, pageUrl: string): string[] {
  const addresses = new Set(listHrefs(page).filter((address) => address.includes('/anime/')));
  return [...new Set([...addresses].flatMap((address) => parseSlug(address, pageUrl) ?? []))];
}

/** The `href` of every link, as it is written. */
export function listHrefs(page: Page): string[] {
  return page.find('a').flatMap((link) => link.attribs.href ?? []);
}

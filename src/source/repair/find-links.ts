import { type Element, isElement } from '../markup/elements.ts';
import type { PageModel } from './page-model.ts';
import { RepairError, type Search } from './search.ts';

const MAX_LINKS = 3_000;
/** A page must link to this many known anime, and to half of all known ones or with half of its links. */
export const MIN_KNOWN = 3;
const MIN_KNOWN_SHARE = 1 / 2;

/** An `a` that leads to an anime. */
export interface AnimeLink {
  element: Element;
  slug: string;
}

/** Finds the links to anime, in page order. Throws RepairError for too many. */
export function findLinks(search: Search, slugOf: PageModel<unknown>['slugOf']): AnimeLink[] {
  const links = search.find('a').flatMap((element): AnimeLink[] => {
    const slug = slugOf(element.attribs.href ?? '', search.pageUrl);
    return slug === undefined ? [] : [{ element, slug }];
  });
  if (links.length > MAX_LINKS) throw new RepairError(`the page has more than ${MAX_LINKS} links to anime`);
  return links;
}

/**
 * `known`: enough of the anime that a page links to are known, so it is a page of the site, whatever its markup.
 * `unknown`: too few are. `none`: the page links to too few anime to decide.
 */
export type Familiarity = 'known' | 'unknown' | 'none';

export function judgeFamiliarity({ known }: Search, links: readonly AnimeLink[]): Familiarity {
  const slugs = new Set(links.map(({ slug }) => slug));
  const familiar = [...slugs].filter((slug) => known.has(slug)).length;
  if (slugs.size < MIN_KNOWN) return 'none';
  const isMost = familiar >= Math.min(slugs.size, known.size) * MIN_KNOWN_SHARE;
  return familiar >= MIN_KNOWN && isMost ? 'known' : 'unknown';
}

/** Maps each element with items in it, or that is one, to the key that all of them share; to null for several keys. */
export function findSharedKeys<Item extends { element: Element }, Key extends string | Element>(
  search: Search,
  items: readonly Item[],
  keyOf: (item: Item) => Key,
): Map<Element, Key | null> {
  const shared = new Map<Element, Key | null>();
  for (const item of items) {
    const key = keyOf(item);
    let node: Element['parent'] | Element = item.element;
    while (node && isElement(node)) {
      search.spend(1);
      const known = shared.get(node);
      if (known === null || known === key) break;
      shared.set(node, known === undefined ? key : null);
      node = node.parent;
    }
  }
  return shared;
}

import { type Element, isElement } from '../markup/elements.ts';
import type { FieldModel } from './page-model.ts';
import { Doubt, type Search } from './search.ts';

const MAX_LINKS = 3_000;
/** So many known anime must a page link to, and half of those that it links to or of those that are known. */
export const MIN_KNOWN = 3;
const MIN_KNOWN_SHARE = 1 / 2;

/** An `a` that leads to an anime. */
export interface AnimeLink {
  element: Element;
  slug: string;
}

/** Finds the `a` with an attribute that is the address of an anime, in page order. Throws Doubt for too many. */
export function findLinks(search: Search, { form }: FieldModel): AnimeLink[] {
  const links: AnimeLink[] = [];
  for (const element of search.find('a')) {
    for (const name of search.attributesOf(element)) {
      const place = { element, attribute: name, pageUrl: search.pageUrl };
      const slug = form.parse(form.show(place) ?? '', place);
      if (typeof slug === 'string') links.push({ element, slug });
    }
    if (links.length > MAX_LINKS) throw new Doubt(`the page has more than ${MAX_LINKS} links to anime`);
  }
  return links;
}

/**
 * `known`: a page links to known anime, most of what it links or most of what is known. It is the site's then, whatever
 * its markup. `none`: it links to none.
 */
export type Familiarity = 'known' | 'unknown' | 'none';

export function judgeFamiliarity({ known }: Search, links: readonly AnimeLink[]): Familiarity {
  const slugs = new Set(links.map(({ slug }) => slug));
  const familiar = [...slugs].filter((slug) => known.has(slug)).length;
  if (slugs.size < MIN_KNOWN) return 'none';
  const isMost = familiar >= Math.min(slugs.size, known.size) * MIN_KNOWN_SHARE;
  return familiar >= MIN_KNOWN && isMost ? 'known' : 'unknown';
}

/** Maps each element with links to the one anime that all of them lead to; to null where they lead to several. */
export function findOwners<Item extends { element: Element }>(
  search: Search,
  items: readonly Item[],
  keyOf: (item: Item) => unknown,
): Map<Element, unknown> {
  const owners = new Map<Element, unknown>();
  for (const item of items) {
    const key = keyOf(item);
    let node: Element['parent'] | Element = item.element;
    while (node && isElement(node)) {
      search.spend(1);
      const owner = owners.get(node);
      if (owner === null || owner === key) break;
      owners.set(node, owner === undefined ? key : null);
      node = node.parent;
    }
  }
  return owners;
}

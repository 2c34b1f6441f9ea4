import { excerpt } from '../../../domain/text.ts';
import { MAX_URL_LENGTH, parseAnimeLink } from '../../address.ts';
import { type FieldFormat, splitLocation } from '../../field-format.ts';
import type { Element } from '../../markup/elements.ts';
import { findIn, type Page } from '../../markup/page.ts';
import { type Card, type CardFault, refusePage } from '../../source.ts';

export const MAX_FOUND_LENGTH = 60;
/** More than a page of the site can have. */
const MAX_CARDS = 1_000;
/** The share of the linking items whose host is the site's own, whichever host serves the page. */
const MIN_SHARE = 0.8;

/**
 * Returns the value of the one element of an item that matches the location. Adds a fault and returns undefined when no
 * element or more than one matches, or when the text has another format.
 */
type ReadField = <Value>(name: string, location: string, format: FieldFormat<Value>) => Value | undefined;

interface FoundCard<Fields> {
  item: Element;
  card: Card<Fields & { slug: string }>;
}

/**
 * Reads the items that are cards. `readFields` returns undefined where a field is missing. Throws AppError
 * `source-changed` for too many items.
 */
export function readCards<Fields extends object>(
  page: Page,
  pageUrl: string,
  items: readonly Element[],
  readFields: (readField: ReadField, faults: CardFault[], item: Element) => Fields | undefined,
): FoundCard<Fields>[] {
  if (items.length > MAX_CARDS) refusePage(`the page has more than ${MAX_CARDS} cards`);
  const links = indexSiteLinks(page, pageUrl, items);
  const matches = new Map<string, Map<Element, Element[]>>();
  const find = (item: Element, selector: string) => {
    const found = matches.get(selector) ?? findIn(page, selector, items);
    matches.set(selector, found);
    return found.get(item) ?? [];
  };
  const cards: FoundCard<Fields>[] = [];
  for (const item of items) {
    const faults: CardFault[] = [];
    const slug = links.slugOf(item, faults);
    let hasField = false;
    const readField: ReadField = (name, location, format) => {
      const { selector, attribute } = splitLocation(location);
      const [element, ...others] = find(item, selector);
      const place = element && others.length === 0 ? { element, attribute, pageUrl } : undefined;
      const text = (place && format.rawText(place)) ?? '';
      const value = place && format.parse(text, place);
      if (value === undefined) {
        const found = excerpt(text, MAX_FOUND_LENGTH);
        faults.push({ field: name, found, ...(!element && { missing: selector }) });
      } else hasField = true;
      return value;
    };
    const fields = readFields(readField, faults, item);
    if (!links.isCard(item, hasField)) continue;
    const card = { card: cards.length + 1, ...(slug && { slug }), faults };
    cards.push({ item, card: fields && slug ? { ...fields, slug } : card });
  }
  return cards;
}

/** The links of the items of a list: the list may also have advertisements and empty items, which are not cards. */
function indexSiteLinks(page: Page, pageUrl: string, items: readonly Element[]) {
  const links = findIn(page, 'a', items);
  const addressesIn = (item: Element) => (links.get(item) ?? []).flatMap(({ attribs }) => attribs.href ?? []);
  /** The anime that each item links to, by host. */
  const slugs = new Map(
    items.map((item) => [
      item,
      addressesIn(item).flatMap((address) => parseAnimeLink(address, pageUrl) ?? []),
    ]),
  );
  const linking = [...slugs.values()].filter(({ length }) => length > 0);
  const counts = Map.groupBy(
    linking.flatMap((own) => [...new Set(own.map(({ host }) => host))]),
    (host) => host,
  );
  const named = [...counts].filter(([, all]) => all.length >= linking.length * MIN_SHARE);
  const ownHosts = new Set([new URL(pageUrl).host, ...named.map(([host]) => host)]);
  const isOwn = ({ host }: { host: string }) => ownHosts.has(host);

  return {
    /**
     * The anime of this site that an item links to, at the host that serves or that the cards name. Adds a fault and
     * returns undefined when it links to none or to several.
     */
    slugOf(item: Element, faults: CardFault[]): string | undefined {
      const [slug, ...others] = new Set((slugs.get(item) ?? []).filter(isOwn).map((one) => one.slug));
      if (slug !== undefined && others.length === 0) return slug;
      faults.push({ field: 'slug', found: excerpt(addressesIn(item)[0] ?? '', MAX_FOUND_LENGTH) });
      return undefined;
    },
    /** Whether an item is a card. `hasField`: whether a field of it can be read, so that it may be a card without its link. */
    isCard(item: Element, hasField: boolean): boolean {
      const own = slugs.get(item) ?? [];
      if (own.length > 0) return own.some(isOwn);
      return hasField && addressesIn(item).every((address) => ownHosts.has(hostOf(address, pageUrl)));
    },
  };
}

function hostOf(address: string, pageUrl: string): string {
  return address.length > MAX_URL_LENGTH ? '' : (URL.parse(address.trim(), pageUrl)?.host ?? '');
}

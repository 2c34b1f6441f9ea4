import { excerpt } from '../../../domain/text.ts';
import { MAX_URL_LENGTH, parseSlug } from '../../address.ts';
import { type FieldFormat, splitLocation } from '../../field-format.ts';
import { type Element, groupByContainer, isOutsideNoscript } from '../../markup/elements.ts';
import type { Page } from '../../markup/page.ts';
import type { CardFault } from '../../source.ts';
import { checkCardCount } from './page.ts';

export const MAX_FOUND_LENGTH = 60;
/** The share of the linking items whose host is the site's own, whichever host serves the page. */
const MIN_SHARE = 0.8;

/** Reads the fields of one card and collects a fault for each that cannot be parsed. */
export interface CardReader {
  faults: CardFault[];
  /**
   * Returns the value of the one element that matches the location. Adds a fault and returns undefined when no element
   * or more than one matches, or when the text has another format.
   */
  field<Value>(name: string, location: string, format: FieldFormat<Value>): Value | undefined;
}

/** Returns a function from a card's element to its reader. Throws AppError `source-changed` for too many cards. */
export function createCardReaders(
  page: Page,
  pageUrl: string,
  items: readonly Element[],
): (item: Element) => CardReader {
  checkCardCount(items.length);
  const matches = new Map<string, Map<Element, Element[]>>();
  const find = (item: Element, selector: string) => {
    const found =
      matches.get(selector) ?? groupByContainer(page.find(selector, items).filter(isOutsideNoscript), items);
    matches.set(selector, found);
    return found.get(item) ?? [];
  };
  return (item) => {
    const faults: CardFault[] = [];
    return {
      faults,
      field(name, location, format) {
        const { selector, attribute } = splitLocation(location);
        const [element, ...others] = find(item, selector);
        const place = element && others.length === 0 ? { element, attribute, pageUrl } : undefined;
        const text = (place && format.rawText(place)) ?? '';
        const value = place && format.parse(text, place);
        if (value !== undefined) return value;
        const found = excerpt(text, MAX_FOUND_LENGTH);
        faults.push({ field: name, found, ...(!element && { missing: selector }) });
        return undefined;
      },
    };
  };
}

/** The links of the items of a list: the list may also have advertisements and empty items, which are not cards. */
interface SiteLinks {
  /**
   * The anime of this site that an item links to, at the host that serves or that the cards name. Adds a fault and returns
   * undefined when it links to none or to several.
   */
  slugOf(item: Element, faults: CardFault[]): string | undefined;
  /** Whether an item is a card. `hasField`: whether a field of it can be read, so that it may be a card without its link. */
  isCard(item: Element, hasField: boolean): boolean;
}

export function indexSiteLinks(page: Page, pageUrl: string, items: readonly Element[]): SiteLinks {
  const links = groupByContainer(page.find('a'), items);
  const addressesIn = (item: Element) => (links.get(item) ?? []).flatMap(({ attribs }) => attribs.href ?? []);
  /** The anime that each item links to, by host. */
  const slugs = new Map(
    items.map((item) => [
      item,
      addressesIn(item).flatMap((address) => {
        const slug = parseSlug(address, pageUrl);
        return slug === undefined ? [] : [{ slug, host: hostOf(address, pageUrl) }];
      }),
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
    slugOf(item, faults) {
      const [slug, ...others] = new Set((slugs.get(item) ?? []).filter(isOwn).map((one) => one.slug));
      if (slug !== undefined && others.length === 0) return slug;
      faults.push({ field: 'slug', found: excerpt(addressesIn(item)[0] ?? '', MAX_FOUND_LENGTH) });
      return undefined;
    },
    isCard(item, hasField) {
      const own = slugs.get(item) ?? [];
      if (own.length > 0) return own.some(isOwn);
      return hasField && addressesIn(item).every((address) => ownHosts.has(hostOf(address, pageUrl)));
    },
  };
}

function hostOf(address: string, pageUrl: string): string {
  return address.length > MAX_URL_LENGTH ? '' : (URL.parse(address.trim(), pageUrl)?.host ?? '');
}

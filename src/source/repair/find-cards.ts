import { parseSlug } from '../address.ts';
import {
  ancestorsOf,
  type Element,
  groupByContainer,
  isElement,
  isOutsideNoscript,
  isWithin,
} from '../markup/elements.ts';
import { ownSelectors, selectorsWithin } from './element-selectors.ts';
import type { KnownAnime, PageModel, Selectors } from './page-model.ts';
import { RepairError, type Search } from './search.ts';

const MAX_LINKS = 3_000;
/** A page must link to this many known anime, and to half of all known ones or with half of its links. */
export const MIN_KNOWN = 3;
const MIN_KNOWN_SHARE = 1 / 2;

const MAX_LISTS = 4;
/** How many selectors are tried for a list, and for its cards. */
const MAX_CANDIDATES = 60;
/** The share of the known anime that must be in the cards, and of the cards that must link to exactly one anime. */
const MIN_SHARE = 0.9;
/** The share of the known anime that a list must contain. The others may be in a list of popular anime beside it. */
const MIN_LIST_SHARE = 2 / 3;

/** The slugs of the anime that an element, or any inside it, links to. */
type AnimeIn = ReadonlyMap<Element, ReadonlySet<string>>;

/** A card, and its anime in the last good listing. `now` gets each field that is found. */
export interface KnownCard {
  element: Element;
  /** The elements that may have a field: the card, and all elements in it. */
  places: readonly Element[];
  before: KnownAnime | undefined;
  now: KnownAnime;
}

/** A candidate for the cards of a page. */
export interface Cards {
  /** The selectors of the element that contains all cards, and of a card in it. */
  list: string;
  card: string;
  cards: KnownCard[];
}

/** Throws RepairError for too many links. */
export function findAnime(search: Search): AnimeIn {
  const links = search.find('a').flatMap((element) => {
    const slug = parseSlug(element.attribs.href, search.pageUrl);
    return slug === undefined ? [] : [{ element, slug }];
  });
  if (links.length > MAX_LINKS) throw new RepairError(`the page has more than ${MAX_LINKS} links to anime`);
  const animeIn = new Map<Element, Set<string>>();
  for (const { element, slug } of links) {
    for (const around of [element, ...ancestorsOf(element)])
      animeIn.set(around, (animeIn.get(around) ?? new Set()).add(slug));
  }
  return animeIn;
}

/**
 * `known`: enough of the anime that a page links to are known, so it is a page of the site, whatever its markup.
 * `unknown`: too few are. `none`: the page links to too few anime to decide.
 */
export type Familiarity = 'known' | 'unknown' | 'none';

export function judgeFamiliarity({ known }: Search, animeIn: AnimeIn): Familiarity {
  const slugs = new Set([...animeIn].flatMap(([{ name }, own]) => (name === 'a' ? [...own] : [])));
  const familiar = slugs.intersection(known).size;
  if (slugs.size < MIN_KNOWN) return 'none';
  const isMost = familiar >= Math.min(slugs.size, known.size) * MIN_KNOWN_SHARE;
  return familiar >= MIN_KNOWN && isMost ? 'known' : 'unknown';
}

/**
 * Finds candidates for the cards: the largest elements with one anime each, in the smallest element with most of the known
 * anime. A page may have several lists: returns an array of candidates for each, the largest elements first.
 */
export function findCards(search: Search, { selectors }: PageModel<unknown>, animeIn: AnimeIn): Cards[][] {
  const known = new Map(
    [...animeIn].flatMap(([element, slugs]) =>
      slugs.size > 1 ? [[element, slugs.intersection(search.known)] as const] : [],
    ),
  );
  const most = Math.max(0, ...[...known.values()].map(({ size }) => size));
  const isWider = (element: Element, { size }: ReadonlySet<string>) =>
    element.children.some((child) => isElement(child) && known.get(child)?.size === size);
  return [...known]
    .filter(([element, found]) => found.size >= most * MIN_LIST_SHARE && !isWider(element, found))
    .sort(([, one], [, other]) => other.size - one.size)
    .slice(0, MAX_LISTS)
    .map(([list, found]) => findCardsIn(search, selectors, animeIn, list, found));
}

/** `known`: the slugs of the known anime in the list. */
function findCardsIn(
  search: Search,
  written: Selectors,
  animeIn: AnimeIn,
  list: Element,
  known: ReadonlySet<string>,
): Cards[] {
  const listSelector = findListSelector(search, list, written.list ?? '');
  if (listSelector === undefined) return [];
  const sizeOf = ({ cards }: Cards) => cards.reduce((sum, { element }) => sum + search.sizeOf(element), 0);
  const largest = [...animeIn]
    .flatMap(([element, { size }]) => (size === 1 && ancestorsOf(element).includes(list) ? [element] : []))
    .sort((one, other) => search.sizeOf(other) - search.sizeOf(one));
  const candidates = new Set([
    written.card ?? '',
    ...largest.flatMap((element) => [...ownSelectors(element)]),
  ]);
  const places = search.page.elements.filter(isOutsideNoscript);
  const found = new Map<string, Cards>();
  for (const card of [...candidates].slice(0, MAX_CANDIDATES)) {
    const elements = search.find(`${listSelector} ${card}`);
    const key = elements.map((element) => search.page.orderOf(element)).join();
    if (found.has(key) || !areCards(elements, known, animeIn)) continue;
    const cards = [...groupByContainer(places, elements)].map(([element, own]): KnownCard => {
      const [slug = ''] = animeIn.get(element) ?? [];
      return { element, places: own, before: search.known.get(slug), now: { slug } };
    });
    found.set(key, { list: listSelector, card, cards });
  }
  return [...found.values()].sort((one, other) => sizeOf(other) - sizeOf(one));
}

/** Returns the written selector if it still matches the list alone; else one of the list, or of an element around it. */
function findListSelector(search: Search, list: Element, written: string): string | undefined {
  const around = [list, ...ancestorsOf(list)];
  const own = around.flatMap((one) => [...selectorsWithin(one)].slice(0, MAX_CANDIDATES));
  return [written, ...own].find((selector) => {
    const [element, ...others] = search.find(selector);
    return element && others.length === 0 && around.includes(element);
  });
}

/** Whether no element is inside another, nearly all have one anime each, and together they have nearly all known ones. */
function areCards(elements: readonly Element[], known: ReadonlySet<string>, animeIn: AnimeIn): boolean {
  const set = new Set(elements);
  const single = elements.flatMap((element) => {
    const slugs = animeIn.get(element);
    return slugs?.size === 1 ? [...slugs] : [];
  });
  return (
    single.length >= elements.length * MIN_SHARE &&
    known.intersection(new Set(single)).size >= known.size * MIN_SHARE &&
    !elements.some((element) => isWithin(element, set))
  );
}

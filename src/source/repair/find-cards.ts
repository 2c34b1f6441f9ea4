import { parseSlug } from '../address.ts';
import { ancestorsOf, type Element, isElement, isWithin } from '../markup/elements.ts';
import { findUniqueSelector, MAX_CANDIDATES, ownSelectors } from './element-selectors.ts';
import type { KnownAnime, PageModel } from './page-model.ts';
import { RepairError, type Search, sample } from './search.ts';

const MAX_LINKS = 3_000;
/** A page must link to this many known anime, and to half of all known ones or with half of its links. */
export const MIN_KNOWN = 3;
const MIN_KNOWN_SHARE = 1 / 2;

const MAX_FRAMES = 4;
const SAMPLES = 6;
/** The share of the known anime that must be in the cards, and of the cards that must link to exactly one anime. */
const MIN_SHARE = 0.9;
/** The share of the known anime that a frame must contain. The others may be in a list of popular anime beside it. */
const MIN_FRAME_SHARE = 2 / 3;

/** An `a` that leads to an anime. */
interface AnimeLink {
  element: Element;
  slug: string;
}

/** The anime that all links in an element, or the element itself, lead to; null for several. */
type AnimeIn = ReadonlyMap<Element, string | null>;

/** A card, and its anime in the last good listing. `now` gets each field that is found. */
export interface KnownCard {
  element: Element;
  before: KnownAnime | undefined;
  now: KnownAnime;
}

/** A candidate for the cards of a page. */
export interface Cards {
  /** The selector of the element that contains all cards, and of a card in it. */
  frame: string;
  card: string;
  cards: KnownCard[];
}

/** Finds the links to anime, in page order. Throws RepairError for too many. */
export function findLinks(search: Search): AnimeLink[] {
  const links = search.find('a').flatMap((element): AnimeLink[] => {
    const slug = parseSlug(element.attribs.href, search.pageUrl);
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

function findAnimeIn(links: readonly AnimeLink[]): AnimeIn {
  const animeIn = new Map<Element, string | null>();
  for (const { element, slug } of links) {
    for (const around of [element, ...ancestorsOf(element)]) {
      const known = animeIn.get(around);
      animeIn.set(around, known === undefined || known === slug ? slug : null);
    }
  }
  return animeIn;
}

/**
 * Finds candidates for the cards: the largest elements with one anime each, in the smallest element with most of the known
 * anime. A page may have several lists: returns an array of candidates for each, the largest elements first.
 */
export function findCards(search: Search, model: PageModel<unknown>, links: readonly AnimeLink[]): Cards[][] {
  const animeIn = findAnimeIn(links);
  const known = links.filter(({ slug }) => search.known.has(slug));
  const slugs = new Map<Element, Set<string>>();
  for (const { element, slug } of known) {
    for (const ancestor of ancestorsOf(element)) {
      if (animeIn.get(ancestor) === null) slugs.set(ancestor, (slugs.get(ancestor) ?? new Set()).add(slug));
    }
  }
  const most = Math.max(0, ...[...slugs.values()].map(({ size }) => size));
  const isWider = (element: Element, { size }: ReadonlySet<string>) =>
    element.children.some((child) => isElement(child) && slugs.get(child)?.size === size);
  return [...slugs]
    .filter(([element, found]) => found.size >= most * MIN_FRAME_SHARE && !isWider(element, found))
    .sort(([, one], [, other]) => other.size - one.size)
    .slice(0, MAX_FRAMES)
    .map(([frame, found]) => {
      const inside = known.filter(({ element }) => isWithin(element, new Set([frame])));
      return findCardsIn(search, model, frame, found, inside, animeIn);
    });
}

function findCardsIn(
  search: Search,
  { frame: frameName, card: cardName, selectors }: PageModel<unknown>,
  frame: Element,
  known: ReadonlySet<string>,
  links: readonly AnimeLink[],
  animeIn: AnimeIn,
): Cards[] {
  const frameSelector = findFrameSelector(search, frame, selectors[frameName] ?? '');
  if (frameSelector === undefined) return [];
  const sizeOf = ({ cards }: Cards) => cards.reduce((sum, { element }) => sum + search.sizeOf(element), 0);
  const found = new Map<string, Cards>();
  /** The elements that link to one anime alone, around some of the links. */
  const around = sample(links, SAMPLES).flatMap(({ element, slug }) =>
    [element, ...ancestorsOf(element)].filter((one) => animeIn.get(one) === slug),
  );
  const candidates = around
    .sort((one, other) => search.sizeOf(other) - search.sizeOf(one))
    .flatMap((one) => [...ownSelectors(one)]);
  for (const card of [...new Set([selectors[cardName] ?? '', ...candidates])].slice(0, MAX_CANDIDATES)) {
    const elements = search.find(`${frameSelector} ${card}`);
    if (!areCards(elements, known, animeIn)) continue;
    const key = elements.map((element) => search.page.orderOf(element)).join();
    if (found.has(key)) continue;
    const cards = elements.map((element): KnownCard => {
      const slug = animeIn.get(element) ?? '';
      return { element, before: search.known.get(slug), now: { slug } };
    });
    found.set(key, { frame: frameSelector, card, cards });
  }
  return [...found.values()].sort((one, other) => sizeOf(other) - sizeOf(one));
}

/** Returns the written selector if it still matches the frame; else a unique one of the frame or of an ancestor. */
function findFrameSelector(search: Search, frame: Element, original: string): string | undefined {
  const around = [frame, ...ancestorsOf(frame)];
  const [known, ...others] = search.find(original);
  if (known && others.length === 0 && around.includes(known)) return original;
  for (const element of around) {
    const selector = findUniqueSelector(search, element);
    if (selector !== undefined) return selector;
  }
  return undefined;
}

/** Whether no element is inside another, nearly all have one anime each, and together they have nearly all known ones. */
function areCards(elements: readonly Element[], known: ReadonlySet<string>, animeIn: AnimeIn): boolean {
  const set = new Set(elements);
  const slugs = elements.map((element) => animeIn.get(element)).filter((slug) => typeof slug === 'string');
  return (
    slugs.length >= elements.length * MIN_SHARE &&
    known.intersection(new Set(slugs)).size >= known.size * MIN_SHARE &&
    !elements.some((element) => isWithin(element, set))
  );
}

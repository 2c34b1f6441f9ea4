import { type Element, isElement } from '../markup/elements.ts';
import { findUniqueSelector, ownSelectors } from './element-selectors.ts';
import type { AnimeLink } from './find-links.ts';
import type { PageModel } from './page-model.ts';
import { type Search, sample } from './search.ts';

const MAX_FRAMES = 4;
const MAX_CARD_SELECTORS = 60;
const SAMPLES = 6;
/** The share of the known anime that must be in the cards, and of the cards that must link to exactly one anime. */
const MIN_SHARE = 0.9;
/** The share of the known anime that a frame must contain. The others may be in a list of popular anime beside it. */
const MIN_FRAME_SHARE = 2 / 3;

/** A candidate for the cards of a page. */
export interface Cards {
  /** The selector of the element that contains all cards, and of a card in it. */
  frame: string;
  card: string;
  elements: Element[];
}

interface Frame {
  element: Element;
  /** The known anime that it links to. */
  slugs: ReadonlySet<string>;
}

/**
 * Finds candidates for the cards: the largest elements with one anime each, in the smallest element with most of the known
 * anime. A page may have several lists: returns an array of candidates for each, the largest elements first. `animeIn`:
 * the anime that all links in an element lead to, null for several.
 */
export function findCards(
  search: Search,
  model: PageModel<unknown>,
  links: readonly AnimeLink[],
  animeIn: ReadonlyMap<Element, string | null>,
): Cards[][] {
  const known = links.filter(({ slug }) => search.known.has(slug));
  return findFrames(search, animeIn, known).map((frame) => {
    const inside = known.filter(({ element }) => search.ancestorsOf(element).includes(frame.element));
    return findCardsIn(search, model, frame, inside, animeIn);
  });
}

function findFrames(
  search: Search,
  animeIn: ReadonlyMap<Element, string | null>,
  known: readonly AnimeLink[],
): Frame[] {
  const slugs = new Map<Element, Set<string>>();
  for (const { element, slug } of known) {
    for (const ancestor of search.ancestorsOf(element)) {
      if (animeIn.get(ancestor) !== null) continue;
      slugs.set(ancestor, (slugs.get(ancestor) ?? new Set()).add(slug));
    }
  }
  const most = Math.max(0, ...[...slugs.values()].map(({ size }) => size));
  const isWider = (element: Element, { size }: ReadonlySet<string>) =>
    element.children.some((child) => isElement(child) && slugs.get(child)?.size === size);
  return [...slugs]
    .filter(([element, found]) => found.size >= most * MIN_FRAME_SHARE && !isWider(element, found))
    .map(([element, found]) => ({ element, slugs: found }))
    .sort((one, other) => other.slugs.size - one.slugs.size)
    .slice(0, MAX_FRAMES);
}

function findCardsIn(
  search: Search,
  model: PageModel<unknown>,
  frame: Frame,
  links: readonly AnimeLink[],
  animeIn: ReadonlyMap<Element, string | null>,
): Cards[] {
  const found = new Map<string, Cards>();
  const { frame: frameName, card: cardName } = model;
  const frameSelector = findFrameSelector(search, frame.element, model.selectors[frameName] ?? '');
  if (frameSelector === undefined) return [];
  const chains = sample(links, SAMPLES).map(({ element }) => chainOf(search, element, animeIn));
  const elements = chains.flat().toSorted((one, other) => search.sizeOf(other) - search.sizeOf(one));
  const candidates = new Set([
    model.selectors[cardName] ?? '',
    ...elements.flatMap((one) => [...ownSelectors(one)]),
  ]);
  for (const card of [...candidates].slice(0, MAX_CARD_SELECTORS)) {
    const elements = search.find(`${frameSelector} ${card}`);
    search.spend(elements.length + 100);
    if (!areCards(search, elements, frame, animeIn)) continue;
    const key = elements.map((element) => search.page.orderOf(element)).join();
    if (!found.has(key)) found.set(key, { frame: frameSelector, card, elements });
  }
  return [...found.values()].sort((one, other) => sizeOf(search, other) - sizeOf(search, one));
}

/** Returns the elements from the largest one that links to this anime alone down to the link itself. */
function chainOf(search: Search, link: Element, animeIn: ReadonlyMap<Element, string | null>): Element[] {
  const slug = animeIn.get(link);
  return [link, ...search.ancestorsOf(link)]
    .filter((element) => slug !== null && animeIn.get(element) === slug)
    .reverse();
}

/** Returns the written selector if it still matches the frame; else a unique one of the frame or of an ancestor. */
function findFrameSelector(search: Search, frame: Element, original: string): string | undefined {
  const around = [frame, ...search.ancestorsOf(frame)];
  const [known, ...others] = search.find(original);
  if (known && others.length === 0 && around.includes(known)) return original;
  for (const element of around) {
    const selector = findUniqueSelector(search, element);
    if (selector !== undefined) return selector;
  }
  return undefined;
}

/** Whether no element is inside another, nearly all have one anime each, and together they have nearly all known ones. */
function areCards(
  search: Search,
  elements: readonly Element[],
  frame: Frame,
  animeIn: ReadonlyMap<Element, string | null>,
): boolean {
  const set = new Set(elements);
  const isNested = elements.some((element) =>
    search.ancestorsOf(element).some((ancestor) => set.has(ancestor)),
  );
  const slugs = elements.map((element) => animeIn.get(element)).filter((slug) => typeof slug === 'string');
  const known = frame.slugs.intersection(new Set(slugs)).size;
  return !isNested && slugs.length >= elements.length * MIN_SHARE && known >= frame.slugs.size * MIN_SHARE;
}

function sizeOf({ sizeOf: size }: Search, { elements }: Cards): number {
  return elements.reduce((sum, element) => sum + size(element), 0);
}

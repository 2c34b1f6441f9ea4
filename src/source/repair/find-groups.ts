import { ancestorsOf, type Element, groupByContainer } from '../markup/elements.ts';
import { findMatching, ownSelectors, selectorsWithin } from './element-selectors.ts';
import type { Cards } from './find-cards.ts';
import type { KnownCard } from './find-field.ts';
import type { HeadingModel, Selectors } from './page-model.ts';
import { RepairError, type Search } from './search.ts';

/** The most nodes of a heading, which is a word or two. */
const MAX_SIZE = 20;
const MAX_HEADINGS = 100;
const MAX_SELECTORS = 60;
/** How many elements above a heading may be its group. */
const MAX_LEVELS = 4;
const MIN_SHARE = 0.9;

/** A heading, its parsed text, and the cards between it and the next one. */
interface Group {
  heading: Element;
  value: unknown;
  cards: Element[];
}

/**
 * Finds the groups of the cards and their headings. Nearly all known cards must be in the group that they were in. The
 * selector of a group is empty where no element has a heading and its cards alone, which then follow the heading.
 */
export function findGroups(
  search: Search,
  originals: Selectors,
  model: HeadingModel,
  cards: Cards,
  knownCards: readonly KnownCard[],
): Selectors {
  const groups = listGroups(search, model, cards);
  checkGroups(model, groups, knownCards);
  const group = findGroupSelector(search, originals.group ?? '', cards, groups);
  const heading = findHeadingSelector(search, originals.heading ?? '', group || cards.frame, groups);
  if (heading === undefined) throw new RepairError('heading: no selector matches the headings alone');
  return { group, heading };
}

/** Lists the outermost elements in the frame, outside the cards, whose text is that of a heading, each with its cards. */
function listGroups(search: Search, { format }: HeadingModel, { frame, elements }: Cards): Group[] {
  const { page } = search;
  const frames = new Set(search.find(frame));
  const closed = new Set(elements);
  const groups: Group[] = [];
  for (const element of page.elements) {
    if (search.sizeOf(element) > MAX_SIZE) continue;
    const value = search.read(format, element);
    const around = value === undefined ? [] : [element, ...ancestorsOf(element)];
    if (!around.some((one) => frames.has(one)) || around.some((one) => closed.has(one))) continue;
    closed.add(element);
    groups.push({ heading: element, value, cards: [] });
    if (groups.length > MAX_HEADINGS)
      throw new RepairError(`more than ${MAX_HEADINGS} elements could be a heading`);
  }
  for (const card of elements)
    groups.findLast(({ heading }) => page.orderOf(heading) < page.orderOf(card))?.cards.push(card);
  return groups;
}

function checkGroups({ key }: HeadingModel, groups: readonly Group[], cards: readonly KnownCard[]): void {
  const headingOf = new Map(groups.flatMap(({ value, cards: own }) => own.map((card) => [card, value])));
  const known = cards.filter(({ before }) => before);
  const right = known.filter(({ element, before }) => headingOf.get(element) === before?.[key]).length;
  const different = new Set(known.map(({ element }) => headingOf.get(element))).size;
  if (right >= known.length * MIN_SHARE && different > 1) return;
  throw new RepairError(`heading: ${right} of ${known.length} known cards are still under their heading`);
}

/** Finds a selector of elements that have one heading each, with its cards; empty when there is none. */
function findGroupSelector(search: Search, original: string, { frame }: Cards, groups: Group[]): string {
  const filled = groups.filter(({ cards }) => cards.length > 0);
  const above = filled.slice(0, 1).flatMap(({ heading }) => ancestorsOf(heading).slice(0, MAX_LEVELS));
  const own = above.flatMap((one) => [...ownSelectors(one)]);
  return [original, ...own, ...own.map((one) => `${frame} ${one}`)].find(areGroups) ?? '';

  function areGroups(selector: string): boolean {
    const containers = selector === '' ? [] : search.find(selector);
    const headings = groupByContainer(
      groups.map(({ heading }) => heading),
      containers,
    );
    const isOver = ({ heading, cards }: Group) =>
      containers.some((one) => headings.get(one)?.[0] === heading && ancestorsOf(cards[0]!).includes(one));
    return filled.every(isOver) && [...headings.values()].every(({ length }) => length <= 1);
  }
}

/** Finds a selector that matches, within `around`, all headings and no other element. */
function findHeadingSelector(search: Search, original: string, around: string, groups: Group[]) {
  const headings = groups.map(({ heading }) => heading);
  const [first] = headings;
  const candidates = first ? Iterator.from(selectorsWithin(first, undefined)).take(MAX_SELECTORS) : [];
  return [original, ...candidates].find((selector) =>
    findMatching(search, [`${around} ${selector}`], headings, (one) => headings.includes(one)),
  );
}

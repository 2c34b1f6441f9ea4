import { type Element, isElement } from '../markup/elements.ts';
import { findMatching, ownSelectors, selectorsWithin } from './element-selectors.ts';
import type { Cards } from './find-cards.ts';
import { findSharedKeys } from './find-links.ts';
import type { KnownCard } from './known-card.ts';
import type { HeadingModel, Selectors } from './page-model.ts';
import { RepairError, type Search } from './search.ts';

/** The most nodes of a heading, which is a word or two. */
const MAX_SIZE = 20;
const MAX_HEADINGS = 100;
const MAX_SELECTORS = 60;
const MIN_SHARE = 0.9;

interface Group {
  heading: Element;
  /** The parsed text of the heading. */
  value: unknown;
  /** The largest element with this heading and no other. */
  container: Element;
  cards: Element[];
}

/**
 * Finds the groups of the cards and their headings. Nearly all known cards must be in the group that they were in. The
 * selector of a group is empty where no element contains a heading and its cards, which then follow the heading.
 */
export function findGroups(
  search: Search,
  originals: Selectors,
  model: HeadingModel,
  cards: Cards,
  knownCards: readonly KnownCard[],
): Selectors {
  const found = listGroups(search, model, cards);
  const isNested = found.some((group) => group.cards.length > 0);
  const groups = isNested ? found : followHeadings(search, found, cards.elements);
  checkGroups(model, groups, knownCards);
  const group = isNested ? findGroupSelector(search, originals.group ?? '', cards.frame, groups) : '';
  const around = group || cards.frame;
  const heading =
    group === undefined ? undefined : findHeadingSelector(search, originals.heading ?? '', around, groups);
  if (group === undefined || heading === undefined)
    throw new RepairError('heading: no selector matches the groups and their headings alone');
  return { group, heading };
}

/** Lists the outermost elements in the frame, outside the cards, whose text is that of a heading, with their groups. */
function listGroups(search: Search, { format }: HeadingModel, { frame, elements }: Cards): Group[] {
  const frames = new Set(search.find(frame));
  const closed = new Set(elements);
  const headings: { element: Element; value: unknown }[] = [];
  for (const element of search.page.elements) {
    if (search.sizeOf(element) > MAX_SIZE) continue;
    const value = search.read(format, element);
    const around = value === undefined ? [] : [element, ...search.ancestorsOf(element)];
    if (!around.some((one) => frames.has(one)) || around.some((one) => closed.has(one))) continue;
    closed.add(element);
    headings.push({ element, value });
    if (headings.length > MAX_HEADINGS)
      throw new RepairError(`more than ${MAX_HEADINGS} elements could be a heading`);
  }
  const headingIn = findSharedKeys(search, headings, ({ element }) => element);
  const containers = headings.map(
    ({ element }) =>
      [element, ...search.ancestorsOf(element)].findLast((one) => headingIn.get(one) === element) ?? element,
  );
  const isContainer = new Set(containers);
  const cardsOf = Map.groupBy(elements, (card) =>
    search.ancestorsOf(card).find((one) => isContainer.has(one)),
  );
  return headings.map(({ element, value }, index) => {
    const container = containers[index] ?? element;
    return { heading: element, value, container, cards: cardsOf.get(container) ?? [] };
  });
}

/** Gives each card to the last heading before it. */
function followHeadings(search: Search, groups: readonly Group[], cards: readonly Element[]): Group[] {
  const { orderOf } = search.page;
  const before = (card: Element) => groups.findLast(({ heading }) => orderOf(heading) < orderOf(card));
  const cardsOf = Map.groupBy(cards, before);
  return groups.map((group) => ({ ...group, cards: cardsOf.get(group) ?? [] }));
}

function checkGroups({ key }: HeadingModel, groups: readonly Group[], cards: readonly KnownCard[]): void {
  const headingOf = new Map(groups.flatMap(({ value, cards: own }) => own.map((card) => [card, value])));
  const known = cards.filter(({ before }) => before);
  const right = known.filter(({ element, before }) => headingOf.get(element) === before?.[key]).length;
  const different = new Set(known.map(({ element }) => headingOf.get(element))).size;
  if (right >= known.length * MIN_SHARE && different > 1) return;
  throw new RepairError(`heading: ${right} of ${known.length} known cards are still under their heading`);
}

/** Finds a selector that matches all groups with cards, and otherwise only groups without cards. */
function findGroupSelector(
  search: Search,
  original: string,
  frame: string,
  groups: readonly Group[],
): string | undefined {
  const all = new Set(groups.map(({ container }) => container));
  const wanted = groups.filter(({ cards }) => cards.length > 0).map(({ container }) => container);
  const own = wanted.slice(0, 1).flatMap((one) => [...ownSelectors(one)]);
  const candidates = [original, ...own, ...own.map((one) => `${frame} ${one}`)];
  return findMatching(search, candidates, wanted, (one) => all.has(one));
}

/** Finds a selector that matches, within `around`, all headings and no other element. */
function findHeadingSelector(
  search: Search,
  original: string,
  around: string,
  groups: readonly Group[],
): string | undefined {
  const headings = groups.map(({ heading }) => heading);
  const isHeading = new Set(headings);
  const first = groups.find(({ cards }) => cards.length > 0);
  const outer = first?.container === first?.heading ? first?.heading.parent : first?.container;
  const within = first && outer && isElement(outer) ? selectorsWithin(search, first.heading, outer) : [];
  return [original, ...Iterator.from(within).take(MAX_SELECTORS)]
    .filter((selector) => !selector.startsWith('&'))
    .find((selector) =>
      findMatching(search, [`${around} ${selector}`], headings, (one) => isHeading.has(one)),
    );
}

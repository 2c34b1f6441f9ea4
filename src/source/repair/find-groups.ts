import { type Element, isElement } from '../markup/elements.ts';
import { describeAlone, describeWithin } from './describe-element.ts';
import type { Cards } from './find-cards.ts';
import { findOwners } from './find-links.ts';
import type { KnownCard } from './known-card.ts';
import type { GroupModel, PageModel, Selectors } from './page-model.ts';
import { Doubt, type Search } from './search.ts';

/** A heading is a word or two: no more nodes than this. */
const MAX_SIZE = 20;
const MAX_HEADINGS = 100;
const MAX_SELECTORS = 60;
const MIN_SHARE = 0.9;

interface Group {
  heading: Element;
  /** What the heading says. */
  value: unknown;
  /** The largest element with this heading and no other. */
  container: Element;
  cards: Element[];
}

/**
 * Finds the groups of the cards and their headings. Nearly all known cards must be in the group that they were in. The
 * selector of a group is empty where nothing is around a heading and its cards, which then follow the heading.
 */
export function findGroups(
  search: Search,
  { selectors }: PageModel<unknown>,
  model: GroupModel,
  cards: Cards,
  knownCards: readonly KnownCard[],
): Selectors {
  const found = listGroups(search, model, cards);
  const isNested = found.some((group) => group.cards.length > 0);
  const groups = isNested ? found : followHeadings(search, found, cards.elements);
  checkGroups(model, groups, knownCards);
  const originals = { group: selectors[model.group] ?? '', heading: selectors[model.heading] ?? '' };
  const group = isNested ? describeGroup(search, originals.group, cards.frame, groups) : '';
  const heading =
    group === undefined
      ? undefined
      : describeHeading(search, originals.heading, group || cards.frame, groups);
  if (group === undefined || heading === undefined)
    throw new Doubt(`${model.heading}: the groups and their headings have nothing of their own`);
  return { [model.group]: group, [model.heading]: heading };
}

/** The outermost elements in the frame, outside the cards, that say what a heading says, with what is around each. */
function listGroups(search: Search, { form }: GroupModel, { frame, elements }: Cards): Group[] {
  const frames = new Set(search.find(frame));
  const closed = new Set(elements);
  const headings: { element: Element; value: unknown }[] = [];
  for (const element of search.page.elements) {
    if (search.sizeOf(element) > MAX_SIZE) continue;
    const value = search.read(form, element);
    const around = value === undefined ? [] : [element, ...search.around(element)];
    if (!around.some((one) => frames.has(one)) || around.some((one) => closed.has(one))) continue;
    closed.add(element);
    headings.push({ element, value });
    if (headings.length > MAX_HEADINGS)
      throw new Doubt(`more than ${MAX_HEADINGS} elements could be a heading`);
  }
  const owners = findOwners(search, headings, ({ element }) => element);
  const containers = headings.map(({ element }) => largestWith(search, element, owners));
  const isContainer = new Set(containers);
  const cardsOf = Map.groupBy(elements, (card) => search.around(card).find((one) => isContainer.has(one)));
  return headings.map(({ element, value }, index) => {
    const container = containers[index] ?? element;
    return { heading: element, value, container, cards: cardsOf.get(container) ?? [] };
  });
}

function largestWith(search: Search, heading: Element, owners: ReadonlyMap<Element, unknown>): Element {
  return [heading, ...search.around(heading)].findLast((one) => owners.get(one) === heading) ?? heading;
}

/** Gives each card to the last heading before it. */
function followHeadings(search: Search, groups: readonly Group[], cards: readonly Element[]): Group[] {
  const { orderOf } = search.page;
  const before = (card: Element) => groups.findLast(({ heading }) => orderOf(heading) < orderOf(card));
  const cardsOf = Map.groupBy(cards, before);
  return groups.map((group) => ({ ...group, cards: cardsOf.get(group) ?? [] }));
}

function checkGroups(model: GroupModel, groups: readonly Group[], cards: readonly KnownCard[]): void {
  const said = new Map(groups.flatMap(({ value, cards: own }) => own.map((card) => [card, value])));
  const known = cards.filter(({ before }) => before);
  const right = known.filter(({ element, before }) => said.get(element) === before?.[model.key]).length;
  const different = new Set(known.map(({ element }) => said.get(element))).size;
  if (right >= known.length * MIN_SHARE && different > 1) return;
  throw new Doubt(
    `${model.heading}: ${right} of ${known.length} known cards are under the heading that they were under`,
  );
}

/** A selector of the groups with cards, and of no other element but a group without any. */
function describeGroup(
  search: Search,
  original: string,
  frame: string,
  groups: readonly Group[],
): string | undefined {
  const all = new Set(groups.map(({ container }) => container));
  const wanted = groups.filter(({ cards }) => cards.length > 0).map(({ container }) => container);
  const candidates = wanted.slice(0, 1).flatMap((one) => [...describeAlone(one)]);
  return [original, ...candidates, ...candidates.map((one) => `${frame} ${one}`)].find((selector) => {
    const found = new Set(selector === '' ? [] : search.find(selector));
    return wanted.every((one) => found.has(one)) && [...found].every((one) => all.has(one));
  });
}

/** A selector of all headings, and of nothing else, in what is around them. */
function describeHeading(
  search: Search,
  original: string,
  around: string,
  groups: readonly Group[],
): string | undefined {
  const [first] = groups.filter(({ cards }) => cards.length > 0);
  const headings = new Set(groups.map(({ heading }) => heading));
  const { parent } = first?.heading ?? {};
  const outer = first && first.container !== first.heading ? first.container : parent;
  const candidates =
    first && outer && isElement(outer) ? [...describeWithin(search, first.heading, outer)] : [];
  return [original, ...candidates.slice(0, MAX_SELECTORS)].find((selector) => {
    const found = selector.startsWith('&') ? [] : search.find(`${around} ${selector}`);
    return found.length === headings.size && found.every((one) => headings.has(one));
  });
}

import { excerpt } from '../../../domain/text.ts';
import {
  ancestorsOf,
  type Element,
  groupByContainer,
  isElement,
  isWithin,
  textOf,
} from '../../markup/elements.ts';
import type { Page } from '../../markup/page.ts';
import { refusePage, type ScheduleGroup, type SchedulePage } from '../../source.ts';
import { parseDay } from '../../vocabulary.ts';
import { MAX_FOUND_LENGTH, readCards } from './card.ts';
import { TITLE } from './formats.ts';
import { checkOrigin, listLinkedSlugs } from './page.ts';
import type { ScheduleSelectors } from './selectors.ts';

/** The site has eight groups. */
const MAX_GROUPS = 100;

/**
 * Reads the schedule. Its inline style repeats the class names, so only elements count, never text:
 *
 *     .page > .kgjdwl321 > (h1, center, .kglist321*8 > (h2, ul > li > a))
 */
export function readSchedule(page: Page, pageUrl: string, selectors: ScheduleSelectors): SchedulePage {
  const { list, card, title } = selectors;
  checkOrigin(page, list);
  const entries = page.find(`${list} ${card}`);
  const headings = findHeadings(page.find(`${list} *`), entries);
  if (headings.length === 0) refusePage(`the schedule has no groups (${list})`);
  if (headings.length > MAX_GROUPS) refusePage(`the schedule has more than ${MAX_GROUPS} groups (${list})`);
  const headingOf = matchHeadings(page, headings, entries);

  const cards = readCards(page, pageUrl, entries, (field, faults, entry) => {
    const text = field('title', title, TITLE);
    const heading = headingOf.get(entry);
    const label = heading ? textOf(heading) : '';
    const day = parseDay(label);
    if (!day) faults.push({ field: 'day', found: excerpt(label, MAX_FOUND_LENGTH) });
    return text && day ? { title: text } : undefined;
  });
  const groups = [...headings, undefined].map((heading): ScheduleGroup => {
    const own = cards.filter(({ item }) => headingOf.get(item) === heading);
    return { day: (heading && parseDay(textOf(heading))) ?? null, cards: own.map((one) => one.card) };
  });
  return {
    groups: groups.filter(({ day, cards: own }) => day || own.length > 0),
    linked: listLinkedSlugs(page, pageUrl),
  };
}

/**
 * Finds the headings of the groups by their text: the innermost elements, outside the entries, whose text is a day. An
 * element of the same tag, classes and depth is a heading as well, whose day is unknown.
 */
function findHeadings(elements: readonly Element[], entries: readonly Element[]): Element[] {
  const around = new Set(entries.flatMap((entry) => [entry, ...ancestorsOf(entry)]));
  const inside = new Set(entries);
  const outside = elements.filter((element) => !around.has(element) && !isWithin(element, inside));
  const days = new Set(outside.filter((element) => parseDay(textOf(element))));
  const innermost = [...days].filter(
    ({ children }) => !children.some((child) => isElement(child) && days.has(child)),
  );
  const kindOf = (element: Element) =>
    [element.name, element.attribs.class, ancestorsOf(element).length].join(' ');
  const kinds = new Set(innermost.map(kindOf));
  return outside.filter((element) => kinds.has(kindOf(element)));
}

/**
 * Maps each entry to the last heading before it. Where elements contain a heading and its entries alone, only the entries
 * in the element of that heading are below it: the others have lost theirs.
 */
function matchHeadings(page: Page, headings: readonly Element[], entries: readonly Element[]) {
  const aroundEntries = new Set(entries.flatMap(ancestorsOf));
  const groups = headings.flatMap((heading) => {
    const scope = ancestorsOf(heading).find((one) => aroundEntries.has(one));
    return scope ? [{ heading, scope }] : [];
  });
  const headingsIn = groupByContainer(
    headings,
    groups.map(({ scope }) => scope),
  );
  const own = groups.filter(({ scope }) => headingsIn.get(scope)?.length === 1);
  const candidates = new Set(own.length > 0 ? own : groups);
  const headingOf = new Map<Element, Element>();
  for (const entry of entries) {
    const last = groups.findLast(({ heading }) => page.orderOf(heading) < page.orderOf(entry));
    if (last && candidates.has(last) && ancestorsOf(entry).includes(last.scope))
      headingOf.set(entry, last.heading);
  }
  return headingOf;
}

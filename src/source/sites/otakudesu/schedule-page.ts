import type { ScheduledAnime } from '../../../domain/listing.ts';
import { excerpt } from '../../../domain/text.ts';
import { type Element, groupByContainer, textOf } from '../../markup/elements.ts';
import type { Page } from '../../markup/page.ts';
import { type Card, refuse, type ScheduleGroup, type SchedulePage } from '../../source.ts';
import { parseDay } from '../../vocabulary.ts';
import { type CardReader, createCardReaders, indexSiteLinks, MAX_FOUND_LENGTH } from './card.ts';
import { TITLE } from './formats.ts';
import { checkCardCount, checkOrigin, listLinkedSlugs } from './page.ts';
import type { ScheduleSelectors } from './selectors.ts';

/** The site has eight groups. */
const MAX_GROUPS = 100;

/**
 * Reads the schedule. Its inline style repeats the class names, so only elements count, never text:
 *
 *     .page > .kgjdwl321 > (h1, center, .kglist321*8 > (h2, ul > li > a))
 */
export function readSchedule(page: Page, pageUrl: string, selectors: ScheduleSelectors): SchedulePage {
  checkOrigin(page, selectors.frame);
  const { groups: found, ungrouped } = findGroups(page, selectors);
  const name = selectors.group || selectors.heading;
  if (found.length === 0) refuse(`the schedule has no groups (${name})`);
  if (found.length > MAX_GROUPS) refuse(`the schedule has more than ${MAX_GROUPS} groups (${name})`);
  const entries = [...found.map((group) => group.entries), ungrouped];
  checkCardCount(entries.reduce((sum, { length }) => sum + length, 0));
  const items = [...new Set(entries.flat())];
  const readerFor = createCardReaders(page, pageUrl, items);
  const links = indexSiteLinks(page, pageUrl, items);
  const readEntries = (list: Element[], label = '') => {
    const cards = list.filter((item) =>
      links.isCard(item, readerFor(item).field('title', selectors.title, TITLE) !== undefined),
    );
    return cards.map((item, index) => {
      const reader = readerFor(item);
      return readEntry(reader, index + 1, label, selectors, links.slugOf(item, reader.faults));
    });
  };

  const groups = found.map(({ headings, entries: items }): ScheduleGroup => {
    const label = readLabel(headings);
    return { day: parseDay(label) ?? null, cards: readEntries(items, label) };
  });
  if (ungrouped.length > 0) groups.push({ day: null, cards: readEntries(ungrouped) });
  return { groups, linked: listLinkedSlugs(page, pageUrl) };
}

function readLabel([label, ...others]: Element[]): string {
  return label && others.length === 0 ? textOf(label) : '';
}

function readEntry(
  reader: CardReader,
  card: number,
  label: string,
  selectors: ScheduleSelectors,
  slug: string | undefined,
): Card<ScheduledAnime> {
  const title = reader.field('title', selectors.title, TITLE);
  const day = parseDay(label);
  if (!day) reader.faults.push({ field: 'day', found: excerpt(label, MAX_FOUND_LENGTH) });
  if (title && slug && day) return { title, slug };
  return { card, ...(slug && { slug }), faults: reader.faults };
}

interface Group {
  headings: Element[];
  entries: Element[];
}

/**
 * Sorts the entries of the schedule into groups. `ungrouped` are entries outside all groups, and entries before the
 * heading of their group: where a heading is missing, the next group and its heading may be in the same element.
 */
function findGroups(page: Page, { frame, group, heading, entry }: ScheduleSelectors) {
  const outer = group || frame;
  const containers = page.find(outer);
  const headings = groupByContainer(page.find(`${outer} ${heading}`), containers);
  const items = groupByContainer(page.find(`${outer} ${entry}`), containers);
  const ungrouped = new Set([...page.find(`${frame} ${entry}`), ...[...items.values()].flat()]);
  const isBefore = (first: Element | undefined, item: Element) =>
    !first || page.orderOf(first) < page.orderOf(item);
  const groups = containers.flatMap((container) => {
    const own = headings.get(container) ?? [];
    // Where no element has a group, each heading begins one.
    const found = (group === '' ? own.map((one) => [one]) : [own]).map(
      (one): Group => ({ headings: one, entries: [] }),
    );
    for (const item of items.get(container) ?? []) {
      const last = found.findLast(({ headings: [first] }) => isBefore(first, item));
      if (last) ungrouped.delete(item);
      last?.entries.push(item);
    }
    return found;
  });
  return { groups, ungrouped: [...ungrouped] };
}

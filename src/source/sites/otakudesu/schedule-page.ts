import type { ScheduledAnime } from '../../../domain/listing.ts';
import { excerpt } from '../../../domain/text.ts';
import { ancestorsOf, type Element, groupByContainer, textOf } from '../../markup/elements.ts';
import type { Page } from '../../markup/page.ts';
import { type Card, refuse, type ScheduleGroup, type SchedulePage } from '../../source.ts';
import { parseDay } from '../../vocabulary.ts';
import { createCardReader, MAX_FOUND_LENGTH } from './card.ts';
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
  const { frame, heading, entry, title } = selectors;
  checkOrigin(page, frame);
  const headings = page.find(`${frame} ${heading}`);
  const name = `${frame} ${heading}`;
  if (headings.length === 0) refuse(`the schedule has no groups (${name})`);
  if (headings.length > MAX_GROUPS) refuse(`the schedule has more than ${MAX_GROUPS} groups (${name})`);
  const entries = page.find(`${frame} ${entry}`);
  const readCards = createCardReader(page, pageUrl, entries);

  const readGroup = (items: readonly Element[], label: string): ScheduleGroup => {
    const day = parseDay(label) ?? null;
    const cards = readCards(items, (field, faults): Omit<ScheduledAnime, 'slug'> | undefined => {
      const text = field('title', title, TITLE);
      if (!day) faults.push({ field: 'day', found: excerpt(label, MAX_FOUND_LENGTH) });
      return text && day ? { title: text } : undefined;
    });
    return { day, cards: cards.map(({ card }): Card<ScheduledAnime> => card) };
  };

  const { groups, ungrouped } = groupEntries(page, headings, entries);
  const found = groups.map((group) => readGroup(group.entries, textOf(group.heading)));
  const all = [...found, readGroup(ungrouped, '')];
  return {
    groups: all.filter(({ day, cards }) => day || cards.length > 0),
    linked: listLinkedSlugs(page, pageUrl),
  };
}

/**
 * Puts each entry below the last heading before it. Where elements contain a heading and its entries alone, only the
 * entries in the element of that heading are below it: the others have lost theirs.
 */
function groupEntries(page: Page, headings: readonly Element[], entries: readonly Element[]) {
  const aroundEntries = new Set(entries.flatMap(ancestorsOf));
  const groups = headings.map((heading) => {
    const scope = ancestorsOf(heading).find((one) => aroundEntries.has(one));
    return { heading, scope, entries: [] as Element[] };
  });
  const scopes = groups.flatMap(({ scope }) => scope ?? []);
  const headingsIn = groupByContainer(headings, scopes);
  const own = groups.filter(({ scope }) => scope && headingsIn.get(scope)?.length === 1);
  const candidates = new Set(own.length > 0 ? own : groups);
  const ungrouped: Element[] = [];
  for (const entry of entries) {
    const last = groups.findLast(({ heading }) => page.orderOf(heading) < page.orderOf(entry));
    const isBelow = last?.scope && candidates.has(last) && ancestorsOf(entry).includes(last.scope);
    (isBelow ? last.entries : ungrouped).push(entry);
  }
  return { groups, ungrouped };
}

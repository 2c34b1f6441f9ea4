import { AppError } from '../../../domain/errors.ts';
import type { ScheduledAnime } from '../../../domain/listing.ts';
import { excerpt } from '../../../domain/text.ts';
import { parseSlug } from '../../address.ts';
import type { Card, ScheduleGroup, SchedulePage } from '../../source.ts';
import { parseDay } from '../../vocabulary.ts';
import { type CardReader, createCardReaders, hrefOf, MAX_FOUND_LENGTH, parseTitle } from './card.ts';
import { type Element, groupByContainer, isWithin, textOf } from './elements.ts';
import { checkCardCount, listLinkedSlugs, parsePage } from './page.ts';

/** The site has eight groups. */
const MAX_GROUPS = 100;

/**
 * Parses the schedule. Its inline style repeats the class names, so only elements count, never text:
 *
 *     .page > .kgjdwl321 > (h1, center, .kglist321*8 > (h2, ul > li > a))
 */
export function parseSchedule(html: string, pageUrl: string): SchedulePage {
  const page = parsePage(html);
  const containers = page.find('.kglist321');
  if (containers.length === 0) refuse('the schedule has no groups (.kglist321)');
  if (containers.length > MAX_GROUPS) refuse(`the schedule has more than ${MAX_GROUPS} groups (.kglist321)`);
  const labels = groupByContainer(page.find('.kglist321 h2'), containers);
  const items = groupByContainer(page.find('.kglist321 li'), containers);
  const containerSet = new Set(containers);
  const ungrouped = page.find('.kgjdwl321 li').filter((item) => !isWithin(item, containerSet));
  const entries = [...items.values(), ungrouped];
  checkCardCount(entries.reduce((sum, { length }) => sum + length, 0));
  const readerFor = createCardReaders(page, [...new Set(entries.flat())]);
  const parseEntries = (list: Element[] = [], label = '') =>
    list.map((item, index) => parseEntry(readerFor(item), index + 1, label, pageUrl));

  const groups = containers.map((container): ScheduleGroup => {
    const label = parseLabel(labels.get(container));
    return { day: parseDay(label) ?? null, cards: parseEntries(items.get(container), label) };
  });
  if (ungrouped.length > 0) groups.push({ day: null, cards: parseEntries(ungrouped) });
  return { groups, linked: listLinkedSlugs(page, pageUrl) };
}

function parseLabel([label, ...others]: Element[] = []): string {
  return label && others.length === 0 ? textOf(label) : '';
}

function parseEntry(reader: CardReader, card: number, label: string, pageUrl: string): Card<ScheduledAnime> {
  const slug = reader.field('slug', 'a', (href) => parseSlug(href, pageUrl), { show: hrefOf });
  const title = reader.field('title', 'a', parseTitle);
  const day = parseDay(label);
  if (!day) reader.faults.push({ field: 'day', found: excerpt(label, MAX_FOUND_LENGTH) });
  if (title && slug && day) return { title, slug };
  return { card, ...(slug && { slug }), faults: reader.faults };
}

function refuse(reason: string): never {
  throw new AppError('source-changed', reason);
}

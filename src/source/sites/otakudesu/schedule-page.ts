import { AppError } from '../../../domain/errors.ts';
import type { ScheduledAnime } from '../../../domain/listing.ts';
import { excerpt } from '../../../domain/text.ts';
import { readSlug } from '../../address.ts';
import type { Card, ScheduleGroup, SchedulePage } from '../../source.ts';
import { readDay } from '../../vocabulary.ts';
import { type CardReader, hrefOf, MAX_FOUND, openCards, readTitle } from './card.ts';
import { type Element, isWithin, sortByFrame, textOf } from './elements.ts';
import { checkCardCount, openPage, readLinked } from './page.ts';

/** The site has eight. */
const MAX_GROUPS = 100;

/**
 * The schedule. Its inline style repeats the class names, so elements count, never text:
 *
 *     .page > .kgjdwl321 > (h1, center, .kglist321*8 > (h2, ul > li > a))
 */
export function parseSchedule(html: string, pageUrl: string): SchedulePage {
  const page = openPage(html);
  const frames = page.find('.kglist321');
  if (frames.length === 0) refuse('the schedule has no groups (.kglist321)');
  if (frames.length > MAX_GROUPS) refuse(`the schedule has more than ${MAX_GROUPS} groups (.kglist321)`);
  const labels = sortByFrame(page.find('.kglist321 h2'), frames);
  const items = sortByFrame(page.find('.kglist321 li'), frames);
  const framed = new Set(frames);
  const strays = page.find('.kgjdwl321 li').filter((item) => !isWithin(item, framed));
  const entries = [...items.values(), strays];
  checkCardCount(entries.reduce((sum, { length }) => sum + length, 0));
  const readerOf = openCards(page, [...new Set(entries.flat())]);
  const readEntries = (list: Element[] = [], label = '') =>
    list.map((item, index) => readEntry(readerOf(item), index + 1, label, pageUrl));

  const groups = frames.map((frame): ScheduleGroup => {
    const label = readLabel(labels.get(frame));
    return { day: readDay(label) ?? null, cards: readEntries(items.get(frame), label) };
  });
  if (strays.length > 0) groups.push({ day: null, cards: readEntries(strays) });
  return { groups, linked: readLinked(page, pageUrl) };
}

function readLabel([label, ...others]: Element[] = []): string {
  return label && others.length === 0 ? textOf(label) : '';
}

function readEntry(reader: CardReader, card: number, label: string, pageUrl: string): Card<ScheduledAnime> {
  const slug = reader.field('slug', 'a', (href) => readSlug(href, pageUrl), { show: hrefOf });
  const title = reader.field('title', 'a', readTitle);
  const day = readDay(label);
  if (!day) reader.faults.push({ field: 'day', found: excerpt(label, MAX_FOUND) });
  if (title && slug && day) return { title, slug };
  return { card, ...(slug && { slug }), faults: reader.faults };
}

function refuse(reason: string): never {
  throw new AppError('source-changed', reason);
}

import { AppError } from '../../../domain/errors.ts';
import type { ScheduledAnime } from '../../../domain/listing.ts';
import { readSlug } from '../../address.ts';
import type { Card, ScheduleGroup, SchedulePage } from '../../source.ts';
import { readDay, tidy } from '../../vocabulary.ts';
import { type CardReader, hrefOf, openCards, readTitle } from './card.ts';
import { type Element, isWithin, openPage, type Page, readLinked } from './page.ts';

/**
 * The schedule. Its inline style repeats the class names, so elements count, never text:
 *
 *     .page > .kgjdwl321 > (h1, center, .kglist321*8 > (h2, ul > li > a))
 */
export function parseSchedule(html: string, pageUrl: string): SchedulePage {
  const page = openPage(html);
  const frames = page.find('.kglist321');
  if (frames.length === 0) throw new AppError('source-changed', 'the schedule has no groups (.kglist321)');
  const groups = frames.map((frame) => readGroup(page, frame, pageUrl));
  const strays = page.find('.kgjdwl321 li').filter((item) => !isWithin(item, new Set(frames)));
  if (strays.length > 0) groups.push({ day: null, cards: readEntries(page, strays, '', pageUrl) });
  return { groups, linked: readLinked(page, pageUrl) };
}

function readGroup(page: Page, frame: Element, pageUrl: string): ScheduleGroup {
  const inFrame = (element: Element) => isWithin(element, new Set([frame]));
  const labels = page.find('.kglist321 h2').filter(inFrame);
  const label = labels.length === 1 ? page.textOf(labels[0]) : '';
  const items = page.find('.kglist321 li').filter(inFrame);
  return { day: readDay(label) ?? null, cards: readEntries(page, items, label, pageUrl) };
}

function readEntries(page: Page, items: Element[], label: string, pageUrl: string): Card<ScheduledAnime>[] {
  const readerOf = openCards(page, items);
  return items.map((item, index) => readEntry(readerOf(item), index + 1, label, pageUrl));
}

function readEntry(reader: CardReader, card: number, label: string, pageUrl: string): Card<ScheduledAnime> {
  const slug = reader.field('slug', 'a', (href) => readSlug(href, pageUrl), hrefOf);
  const title = reader.field('title', 'a', readTitle);
  const day = readDay(label);
  if (!day) reader.faults.push({ field: 'day', found: tidy(label) });
  if (title && slug && day) return { title, slug };
  return { card, ...(slug && { slug }), faults: reader.faults };
}

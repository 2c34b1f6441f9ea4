import type { CheerioAPI } from 'cheerio/slim';
import { AppError } from '../../../domain/errors.ts';
import type { ScheduledAnime } from '../../../domain/listing.ts';
import { readSlug } from '../../address.ts';
import type { Card, ScheduleGroup, SchedulePage } from '../../source.ts';
import { readDay, tidy } from '../../vocabulary.ts';
import { createCardReader, type Elements, readTitle } from './card.ts';
import { openPage, readLinked } from './page.ts';

/**
 * The schedule. Its inline style repeats the class names, so elements count, never text:
 *
 *     .page > .kgjdwl321 > (h1, center, .kglist321*8 > (h2, ul > li > a))
 */
export function parseSchedule(html: string, pageUrl: string): SchedulePage {
  const $ = openPage(html);
  const frames = $('.kglist321').toArray();
  if (frames.length === 0) throw new AppError('source-changed', 'the schedule has no groups (.kglist321)');
  const groups = frames.map((frame) => readGroup($, $(frame), pageUrl));
  const strays = $('.kgjdwl321 li').not('.kglist321 li');
  if (strays.length > 0) groups.push({ day: null, cards: readEntries($, strays, '', pageUrl) });
  return { groups, linked: readLinked($, pageUrl) };
}

function readGroup($: CheerioAPI, frame: Elements, pageUrl: string): ScheduleGroup {
  const labels = frame.find('h2');
  const label = labels.length === 1 ? labels.text() : '';
  return { day: readDay(label) ?? null, cards: readEntries($, frame.find('li'), label, pageUrl) };
}

function readEntries($: CheerioAPI, items: Elements, label: string, pageUrl: string): Card<ScheduledAnime>[] {
  return items.toArray().map((item, index) => readEntry($(item), index + 1, label, pageUrl));
}

function readEntry(item: Elements, card: number, label: string, pageUrl: string): Card<ScheduledAnime> {
  const reader = createCardReader(item);
  const href = (link: Elements) => link.attr('href');
  const slug = reader.field('slug', 'a', (link) => readSlug(href(link), pageUrl), href);
  const title = reader.field('title', 'a', readTitle);
  const day = readDay(label);
  if (!day) reader.faults.push({ field: 'day', found: tidy(label) });
  if (title && slug && day) return { title, slug };
  return { card, ...(slug && { slug }), faults: reader.faults };
}

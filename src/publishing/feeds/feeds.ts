import { changedAt } from '../../domain/listing.ts';
import { type Document, type Documents, sameOr } from '../document.ts';
import { renderAtom } from './atom.ts';
import { datedSlugs, renderCalendar } from './calendar.ts';
import { entriesOf, type FeedOptions } from './entry.ts';
import { renderJsonFeed } from './json-feed.ts';

const CALENDAR_TYPE = 'text/calendar; charset=utf-8';

export const CALENDAR_PATH = '/feeds/schedule.ics';

/** The calendar of one anime. */
export const calendarAddress = (slug: string) => `${CALENDAR_PATH}?slug=${slug}`;

/** Every feed, and the calendar of each anime, by their addresses. */
export function renderFeeds(options: FeedOptions, before?: Documents): [address: string, Document][] {
  const { snapshot, url } = options;
  const entries = entriesOf(options);
  const episodeAt = entries[0]?.at ?? changedAt(snapshot);
  const feeds: [address: string, type: string, text: string, at: number][] = [
    [
      '/feeds/episodes.atom',
      'application/atom+xml; charset=utf-8',
      renderAtom(entries, url, episodeAt),
      changedAt(snapshot),
    ],
    [
      '/feeds/episodes.json',
      'application/feed+json; charset=utf-8',
      renderJsonFeed(entries, url),
      changedAt(snapshot),
    ],
    [CALENDAR_PATH, CALENDAR_TYPE, renderCalendar(options), snapshot.scheduleChangedAt],
  ];
  const documents = feeds.map(([address, type, text, at]): [string, Document] => [
    address,
    sameOr(before?.get(address), type, text, at),
  ]);
  return [...documents, ...renderCalendars(options, before)];
}

/** A calendar of one anime is small, and in identity encoding only. */
function renderCalendars(options: FeedOptions, before?: Documents): [address: string, Document][] {
  const { scheduleChangedAt } = options.snapshot;
  return [...datedSlugs(options.snapshot)].map((slug) => {
    const address = calendarAddress(slug);
    const text = renderCalendar(options, slug);
    return [
      address,
      sameOr(before?.get(address), CALENDAR_TYPE, text, scheduleChangedAt, { encodings: ['identity'] }),
    ];
  });
}

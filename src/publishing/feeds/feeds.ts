import type { AnimeRecord } from '../../domain/anime-record.ts';
import { listingChangedAt } from '../../domain/listing.ts';
import { type Content, UNCOMPRESSED } from '../document.ts';
import type { JsonFeed } from '../schemas/listing.ts';
import type { FromSchema } from '../schemas/schema.ts';
import { renderAtom } from './atom.ts';
import { renderCalendars } from './calendar.ts';
import { type Entry, entriesOf, type FeedOptions } from './entry.ts';

export const CALENDAR_TYPE = 'text/calendar; charset=utf-8';
const ATOM_TYPE = 'application/atom+xml; charset=utf-8';
const JSON_TYPE = 'application/feed+json; charset=utf-8';

export const CALENDAR_PATH = '/feeds/schedule.ics';
export const ATOM_PATH = '/feeds/episodes.atom';
export const JSON_FEED_PATH = '/feeds/episodes.json';

/** The calendar of one anime. */
export const calendarAddress = (slug: string) => `${CALENDAR_PATH}?slug=${slug}`;
/** The Atom feed of one anime. */
export const atomAddress = (slug: string) => `${ATOM_PATH}?slug=${slug}`;

/** Every feed and calendar, those of each anime too. */
export function renderFeeds(options: FeedOptions, records: readonly AnimeRecord[]): Content[] {
  const { snapshot, url } = options;
  const entries = entriesOf(options, records);
  const entriesBySlug = Map.groupBy(entries, ({ slug }) => slug);
  const changedAt = listingChangedAt(snapshot);
  const { all, bySlug } = renderCalendars(options, records);
  const atom = { contentType: ATOM_TYPE, changedAt };
  // Expected times change a calendar, and with them the passing of time does, so it has no date of its own.
  const calendar = { contentType: CALENDAR_TYPE };

  /** Without an episode, a feed is dated 1970, which no later crawl changes. */
  function renderAnimeFeed({ slug, title }: AnimeRecord): string {
    const own = entriesBySlug.get(slug) ?? [];
    return renderAtom({
      title: `${title} – Tayang`,
      self: url + atomAddress(slug),
      page: `${url}/anime/${slug}`,
      entries: own,
      updatedAt: own[0]?.at ?? 0,
    });
  }

  const text = renderAtom({
    title: 'Tayang: episode baru',
    self: url + ATOM_PATH,
    page: `${url}/`,
    entries,
    updatedAt: entries[0]?.at ?? changedAt,
  });
  return [
    { ...atom, address: ATOM_PATH, text },
    { ...atom, address: JSON_FEED_PATH, contentType: JSON_TYPE, text: renderJsonFeed(entries, url) },
    { ...calendar, address: CALENDAR_PATH, text: all },
    ...[...bySlug].map(([slug, text]) => ({
      ...calendar,
      ...UNCOMPRESSED,
      address: calendarAddress(slug),
      text,
    })),
    ...records.map((record) => ({
      ...atom,
      ...UNCOMPRESSED,
      address: atomAddress(record.slug),
      text: renderAnimeFeed(record),
    })),
  ];
}

/** https://jsonfeed.org/version/1.1 */
function renderJsonFeed(entries: readonly Entry[], url: string): string {
  const feed: FromSchema<typeof JsonFeed> = {
    version: 'https://jsonfeed.org/version/1.1',
    title: 'Tayang: episode baru',
    home_page_url: `${url}/`,
    feed_url: `${url}/feeds/episodes.json`,
    language: 'id',
    authors: [{ name: 'Tayang' }],
    items: entries.map(({ id, title, text, link, at, image }) => ({
      id,
      url: link,
      title,
      content_text: text,
      date_published: new Date(at).toISOString(),
      ...(image === undefined ? {} : { image }),
    })),
  };
  return JSON.stringify(feed);
}

import type { AnimeRecord } from '../../domain/anime-record.ts';
import { listingChangedAt } from '../../domain/listing.ts';
import { toIso } from '../../domain/units.ts';
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

/** The address of a feed or calendar of one anime. */
export const addressOf = (path: string, slug: string) => `${path}?slug=${slug}`;

/** How many episodes a feed has. */
const MAX_ENTRIES = 100;

/**
 * Every feed and calendar, those of each anime too. None has a date of its own: their bytes change with the lists, the pages of
 * anime, and with time.
 */
export function renderFeeds(options: FeedOptions, records: readonly AnimeRecord[]): Content[] {
  const { url } = options;
  const entries = entriesOf(options, records);
  const entriesBySlug = Map.groupBy(entries, ({ slug }) => slug);
  const { all, bySlug } = renderCalendars(options, records);
  const week = {
    ...{ title: 'Tayang: episode baru', page: `${url}/`, entries: entries.slice(0, MAX_ENTRIES) },
    emptyAt: listingChangedAt(options.snapshot),
  };
  const calendar = { contentType: CALENDAR_TYPE };
  return [
    ...renderFormats(week, url),
    { ...calendar, address: CALENDAR_PATH, text: all },
    ...records.flatMap(({ slug, title }) => {
      const own = (entriesBySlug.get(slug) ?? []).slice(0, MAX_ENTRIES);
      // Without an episode, a feed is dated 1970, which no later crawl changes.
      const feed = { title: `${title} – Tayang`, page: `${url}/anime/${slug}`, entries: own, emptyAt: 0 };
      const contents = [
        ...renderFormats(feed, url, slug),
        { ...calendar, address: addressOf(CALENDAR_PATH, slug), text: bySlug.get(slug) ?? '' },
      ];
      return contents.map((content) => ({ ...content, ...UNCOMPRESSED }));
    }),
  ];
}

interface Feed {
  title: string;
  /** Address of the page that shows the same. */
  page: string;
  entries: readonly Entry[];
  /** Its date where it has no entries, ms since 1970. */
  emptyAt: number;
}

/** A feed in each format, at its addresses. */
function renderFormats(feed: Feed, url: string, slug?: string): Content[] {
  const { emptyAt, ...shown } = feed;
  const addressIn = (path: string) => (slug === undefined ? path : addressOf(path, slug));
  const [atom, json] = [addressIn(ATOM_PATH), addressIn(JSON_FEED_PATH)];
  const updatedAt = feed.entries[0]?.at ?? emptyAt;
  return [
    { address: atom, contentType: ATOM_TYPE, text: renderAtom({ ...shown, self: url + atom, updatedAt }) },
    { address: json, contentType: JSON_TYPE, text: renderJsonFeed({ ...shown, self: url + json }) },
  ];
}

/** https://jsonfeed.org/version/1.1 */
function renderJsonFeed({ title, page, self, entries }: Omit<Feed, 'emptyAt'> & { self: string }): string {
  const feed: FromSchema<typeof JsonFeed> = {
    version: 'https://jsonfeed.org/version/1.1',
    title,
    home_page_url: page,
    feed_url: self,
    language: 'id',
    authors: [{ name: 'Tayang' }],
    items: entries.map(({ id, title, text, link, at, image }) => ({
      id,
      url: link,
      title,
      content_text: text,
      date_published: toIso(at),
      ...(image === undefined ? {} : { image }),
    })),
  };
  return JSON.stringify(feed);
}

import type { AnimeRecord } from '../../domain/anime-record.ts';
import { ATOM_PATH, animePage, CALENDAR_PATH, feedAddress, JSON_FEED_PATH } from '../addresses.ts';
import { COMPRESSED_LATER, type Content } from '../document.ts';
import { type JsonFeed, JsonFeedItem } from '../schemas/listing.ts';
import { type FromSchema, present } from '../schemas/schema.ts';
import { renderAtom, type ShownFeed } from './atom.ts';
import { renderCalendars } from './calendar.ts';
import { CALENDAR_TYPE } from './calendar-text.ts';
import { type Entry, entriesOf, type FeedOptions, lastAnnounced } from './entry.ts';

const ATOM_TYPE = 'application/atom+xml; charset=utf-8';
const JSON_TYPE = 'application/feed+json; charset=utf-8';

/** How many episodes a feed has. */
const MAX_ENTRIES = 100;

/**
 * Every feed and calendar, for each anime too. None has a date of its own: their bytes change with the lists, the pages
 * of anime, and with time.
 */
export function renderFeeds(options: FeedOptions, records: readonly AnimeRecord[]): Content[] {
  const { url } = options;
  const entries = entriesOf(options, records);
  const announced = lastAnnounced(options);
  const bySlug = Map.groupBy(entries, ({ slug }) => slug);
  const calendars = renderCalendars(options, records);
  const ofAll = { title: 'Tayang: episode baru', page: `${url}/`, entries, calendar: calendars.all };
  return [
    ...renderFormats({ ...ofAll, updatedAt: Math.max(0, ...announced.values()) }, url, (path) => path),
    ...records.flatMap(({ slug, title }) => {
      const own = { entries: bySlug.get(slug) ?? [], calendar: calendars.bySlug.get(slug) ?? '' };
      // Until its first episode is announced, a feed is dated 1970, which no other crawl changes.
      const updatedAt = announced.get(slug) ?? 0;
      const feed = { title: `${title} – Tayang`, page: animePage(url, slug), ...own, updatedAt };
      const contents = renderFormats(feed, url, (path) => feedAddress(path, slug));
      return contents.map((content) => ({ ...content, ...COMPRESSED_LATER }));
    }),
  ];
}

interface Feed {
  title: string;
  /** Address of the page that shows the same. */
  page: string;
  entries: readonly Entry[];
  calendar: string;
  /** When its last episode was announced, ms since 1970. */
  updatedAt: number;
}

/** A feed in each format, and its calendar, at their addresses. */
function renderFormats(feed: Feed, url: string, addressAt: (path: string) => string): Content[] {
  const entries = feed.entries.slice(0, MAX_ENTRIES);
  const { title, page, calendar, updatedAt } = feed;
  const atom = addressAt(ATOM_PATH);
  const json = addressAt(JSON_FEED_PATH);
  const shown = { title, page, entries, updatedAt };
  return [
    { address: atom, contentType: ATOM_TYPE, text: renderAtom({ ...shown, self: url + atom }) },
    { address: json, contentType: JSON_TYPE, text: renderJsonFeed({ ...shown, self: url + json }) },
    { address: addressAt(CALENDAR_PATH), contentType: CALENDAR_TYPE, text: calendar },
  ];
}

/** https://jsonfeed.org/version/1.1 */
function renderJsonFeed({ title, page, self, entries }: ShownFeed): string {
  const feed: FromSchema<typeof JsonFeed> = {
    version: 'https://jsonfeed.org/version/1.1',
    title,
    home_page_url: page,
    feed_url: self,
    language: 'id',
    authors: [{ name: 'Tayang' }],
    items: entries.map(presentItem),
  };
  return JSON.stringify(feed);
}

function presentItem({ id, title, text, page, link, at, image }: Entry) {
  return present(JsonFeedItem, {
    id,
    url: page,
    title,
    content_text: text,
    date_published: at,
    external_url: link,
    image,
  });
}

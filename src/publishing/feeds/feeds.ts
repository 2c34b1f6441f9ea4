import type { AnimeRecord } from '../../domain/anime-record.ts';
import { listingChangedAt } from '../../domain/listing.ts';
import { type Document, type Documents, renderDocument, renderTimedDocument } from '../document.ts';
import { renderAtom } from './atom.ts';
import { renderCalendars } from './calendar.ts';
import { entriesOf, type FeedOptions } from './entry.ts';
import { renderJsonFeed } from './json-feed.ts';

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

/** The feed or calendar of one anime is small, so it is not compressed. */
const UNCOMPRESSED = { encodings: ['identity'] } as const;

/** Every feed and calendar, those of each anime too, by their addresses. */
export function renderFeeds(
  options: FeedOptions,
  records: readonly AnimeRecord[],
  before?: Documents,
): [address: string, Document][] {
  const { snapshot, url, now } = options;
  const entries = entriesOf(options, records);
  const entriesBySlug = Map.groupBy(entries, ({ slug }) => slug);
  const listChangedAt = listingChangedAt(snapshot);
  const { all, bySlug } = renderCalendars(options, records);

  function feed(address: string, contentType: string, text: string, settings = {}) {
    return renderDocument({ address, contentType, text, ...settings }, listChangedAt, before);
  }

  /** Without an episode, a feed is dated 1970, which no later crawl changes. */
  function animeFeed({ slug, title }: AnimeRecord) {
    const own = entriesBySlug.get(slug) ?? [];
    const text = renderAtom({
      title: `${title} – Tayang`,
      self: url + atomAddress(slug),
      page: `${url}/anime/${slug}`,
      entries: own,
      updatedAt: own[0]?.at ?? 0,
    });
    return feed(atomAddress(slug), ATOM_TYPE, text, UNCOMPRESSED);
  }

  /** Expected times change a calendar, and with them the passing of time does. */
  function calendar(address: string, text: string, settings = {}) {
    return renderTimedDocument({ address, contentType: CALENDAR_TYPE, text, ...settings }, now, before);
  }

  const atom = renderAtom({
    title: 'Tayang: episode baru',
    self: url + ATOM_PATH,
    page: `${url}/`,
    entries,
    updatedAt: entries[0]?.at ?? listChangedAt,
  });
  return [
    feed(ATOM_PATH, ATOM_TYPE, atom),
    feed(JSON_FEED_PATH, JSON_TYPE, renderJsonFeed(entries, url)),
    calendar(CALENDAR_PATH, all),
    ...[...bySlug].map(([slug, text]) => calendar(calendarAddress(slug), text, UNCOMPRESSED)),
    ...records.map(animeFeed),
  ];
}

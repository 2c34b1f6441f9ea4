import type { EpisodeHistory, ExpectedEpisode } from '../domain/episode-history.ts';
import type { AnimeEvent } from '../domain/event.ts';
import { changedAt, type Snapshot } from '../domain/listing.ts';
import { troubleOf } from '../pages/trouble.ts';
import { renderAnimeDocuments } from './anime-documents.ts';
import { createAnimeRecords, findUpcoming } from './anime-records.ts';
import { countPages, presentAnime, presentHome, presentSchedule, presentUpcoming } from './api.ts';
import { chooseCoverOrigins } from './cover-origins.ts';
import { type Document, type Documents, sameOr } from './document.ts';
import { documentSince, type RenderedEvents, renderEvents } from './events.ts';
import { renderFeeds } from './feeds/feeds.ts';
import { type FrontState, renderFront } from './front.ts';

/**
 * Everything that is served of one snapshot. It is swapped as a whole, so that what is served together belongs
 * together, and it is plain data: it is rendered in one thread and served in another.
 */
export interface Edition {
  documents: Documents;
  /** How many pages the ongoing list has. */
  pages: number;
  events: RenderedEvents;
}

export const ANIME_ADDRESS = '/api/anime';
export const SCHEDULE_ADDRESS = '/api/anime/schedule';
export const EVENTS_ADDRESS = '/api/anime/events';
export const UPCOMING_ADDRESS = '/api/anime/upcoming';
export const homeAddress = (page: number | string) => `/api/anime/home?page=${page}`;

const JSON_TYPE = 'application/json; charset=utf-8';

export interface EditionContent {
  snapshot: Snapshot;
  /** Of the last 30 days, oldest first, up to the snapshot's last one. */
  events: readonly AnimeEvent[];
  /** The next episodes that are expected, by slug; absent while nothing predicts them. */
  expected?: Readonly<Record<string, ExpectedEpisode>> | undefined;
  /** When episodes were seen to appear; by default according to the events. */
  history?: EpisodeHistory | undefined;
}

/** Renders a snapshot. A document with the same bytes as before is taken over, compressed as it is. */
export function renderEdition(content: EditionContent, state: FrontState, before?: Edition): Edition {
  const { snapshot, events } = content;
  const { sourceUrl, timeZone, url, status, now } = state;
  const records = createAnimeRecords({ ...content, sourceUrl });
  const coverOrigins = chooseCoverOrigins(snapshot.ongoing);
  const rendered = renderEvents({ events, last: snapshot.lastEvent }, snapshot.ongoingChangedAt);
  const old = before?.documents;
  const feeds = { snapshot, events, url: url ?? '', timeZone, now };
  const trouble = troubleOf(status, now);
  return {
    documents: new Map([
      ...renderListing(content, rendered, old),
      upcomingDocument(findUpcoming(records, now), now, old),
      ...renderFront(snapshot, state, old),
      ...renderFeeds(feeds, records, old),
      ...renderAnimeDocuments({ snapshot, records, timeZone, url, coverOrigins, trouble, now }, old),
    ]),
    pages: countPages(snapshot.ongoing),
    events: rendered,
  };
}

function renderListing({ snapshot }: EditionContent, events: RenderedEvents, before?: Documents) {
  const { scheduleChangedAt, ongoingChangedAt } = snapshot;
  const same = (address: string, text: string, at: number): [string, Document] => [
    address,
    sameOr(before?.get(address), JSON_TYPE, text, at),
  ];
  const pages = Array.from({ length: countPages(snapshot.ongoing) }, (_, index) => index + 1);
  return [
    same(SCHEDULE_ADDRESS, JSON.stringify(presentSchedule(snapshot)), scheduleChangedAt),
    same(ANIME_ADDRESS, JSON.stringify(presentAnime(snapshot)), changedAt(snapshot)),
    ...pages.map((page) =>
      same(homeAddress(page), JSON.stringify(presentHome(snapshot, page)), ongoingChangedAt),
    ),
    same(EVENTS_ADDRESS, textOf(documentSince(events, 0)), events.changedAt),
  ];
}

/** The list depends on the clock, so it is dated by the edition in which it changed. */
function upcomingDocument(
  upcoming: ReturnType<typeof findUpcoming>,
  now: number,
  before?: Documents,
): [string, Document] {
  const old = before?.get(UPCOMING_ADDRESS);
  const at = Math.max(now, old ? old.changedAt + 1_000 : 0);
  return [UPCOMING_ADDRESS, sameOr(old, JSON_TYPE, JSON.stringify(presentUpcoming(upcoming)), at)];
}

function textOf({ identity: { bytes, rest = [] } }: Document): string {
  return Buffer.concat([bytes, ...rest]).toString();
}

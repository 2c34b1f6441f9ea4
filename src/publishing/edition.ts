import type { SnapshotUpdate } from '../crawler/snapshot-sync.ts';
import type { Status } from '../crawler/source-state.ts';
import { listingChangedAt, type Snapshot } from '../domain/listing.ts';
import { troubleOf } from '../pages/trouble.ts';
import { renderAnimeDocuments } from './anime-documents.ts';
import { createAnimeRecords, createLeftRecords, findUpcoming } from './anime-records.ts';
import {
  countPages,
  presentAnime,
  presentHome,
  presentReleases,
  presentSchedule,
  presentUpcoming,
} from './api.ts';
import { chooseCoverOrigins } from './cover-origins.ts';
import { type Document, type Documents, JSON_TYPE, renderDocument, renderTimedDocument } from './document.ts';
import { documentSince, type RenderedEvents, renderEvents } from './events.ts';
import { renderFeeds } from './feeds/feeds.ts';
import { renderFrontPages } from './front-page.ts';
import { listReleases } from './releases.ts';
import { renderWajik } from './wajik.ts';

/**
 * Everything that is served from one snapshot. It is replaced as a whole, so all its documents are of the same snapshot. It
 * is plain data, because it is rendered in one thread and served in another.
 */
export interface Edition {
  documents: Documents;
  /** The number of pages of the ongoing list. */
  pageCount: number;
  events: RenderedEvents;
}

export const ANIME_ADDRESS = '/api/anime';
export const SCHEDULE_ADDRESS = '/api/anime/schedule';
export const EVENTS_ADDRESS = '/api/anime/events';
export const UPCOMING_ADDRESS = '/api/anime/upcoming';
export const RELEASES_ADDRESS = '/api/anime/releases';
export const homeAddress = (page: number | string) => `/api/anime/home?page=${page}`;

/** What an edition shows. */
export type EditionContent = Omit<SnapshotUpdate, 'status'>;

/** What an edition depends on beside the snapshot. It is rendered again when one of these changes. */
export interface EditionState {
  timeZone: string;
  /** Public origin. */
  url: string;
  status: Pick<Status, 'state' | 'since' | 'refreshedAt'>;
  /** The origin of the source that served last. */
  sourceUrl: string;
  /** Whether Web Push is switched on. */
  hasPush?: boolean | undefined;
  /** Wall clock, ms since 1970. */
  now: number;
}

/** Renders a snapshot. A document with the same bytes as before is reused, with its compressed variants. */
export function renderEdition(content: EditionContent, state: EditionState, before?: Edition): Edition {
  const { snapshot, events } = content;
  const { sourceUrl, timeZone, url, status, hasPush, now } = state;
  const records = createAnimeRecords(content, sourceUrl);
  const known = [...records, ...createLeftRecords(content, sourceUrl, now)];
  const releases = listReleases(known, timeZone, now);
  const rendered = renderEvents(events, snapshot);
  const old = before?.documents;
  const feeds = { snapshot, events, url, timeZone, now };
  const coverOrigins = chooseCoverOrigins(snapshot.ongoing);
  const pages = { snapshot, timeZone, url, coverOrigins, trouble: troubleOf(status, now), hasPush, now };
  return {
    documents: new Map([
      ...renderListing(snapshot, rendered, old),
      renderTimedList(UPCOMING_ADDRESS, presentUpcoming(findUpcoming(records, now)), now, old),
      renderTimedList(RELEASES_ADDRESS, presentReleases(releases), now, old),
      ...renderFrontPages({ ...pages, records, releases }, old),
      ...renderFeeds(feeds, known, old),
      ...renderAnimeDocuments(pages, known, old),
      ...renderWajik({ ...snapshot, records: known, sourceUrl, now }, old),
    ]),
    pageCount: countPages(snapshot.ongoing),
    events: rendered,
  };
}

function renderListing(snapshot: Snapshot, events: RenderedEvents, before: Documents | undefined) {
  const { scheduleChangedAt, ongoingChangedAt } = snapshot;
  const render = (address: string, text: string, at: number) =>
    renderDocument({ address, contentType: JSON_TYPE, text }, at, before);
  const pages = Array.from({ length: countPages(snapshot.ongoing) }, (_, index) => index + 1);
  return [
    render(SCHEDULE_ADDRESS, JSON.stringify(presentSchedule(snapshot)), scheduleChangedAt),
    render(ANIME_ADDRESS, JSON.stringify(presentAnime(snapshot)), listingChangedAt(snapshot)),
    ...pages.map((page) =>
      render(homeAddress(page), JSON.stringify(presentHome(snapshot, page)), ongoingChangedAt),
    ),
    render(
      EVENTS_ADDRESS,
      textOf(documentSince(events, { epoch: events.epoch, number: 0 })),
      events.changedAt,
    ),
  ];
}

/** A list that depends on the clock, so it is dated by the edition in which it changed. */
function renderTimedList(address: string, body: object, now: number, before: Documents | undefined) {
  const content = { address, contentType: JSON_TYPE, text: JSON.stringify(body) };
  return renderTimedDocument(content, now, before);
}

function textOf({ identity: { bytes, rest = [] } }: Document): string {
  return Buffer.concat([bytes, ...rest]).toString();
}

import type { AnimeEvent } from '../domain/event.ts';
import type { Snapshot } from '../domain/listing.ts';
import { countPages, presentHome, presentSchedule } from './api.ts';
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

export const SCHEDULE_ADDRESS = '/api/anime/schedule';
export const EVENTS_ADDRESS = '/api/anime/events';
export const homeAddress = (page: number | string) => `/api/anime/home?page=${page}`;

const JSON_TYPE = 'application/json; charset=utf-8';

/** Renders a snapshot. A document with the same bytes as before is taken over, compressed as it is. */
export function renderEdition(
  { snapshot, events }: { snapshot: Snapshot; events: readonly AnimeEvent[] },
  state: FrontState,
  before?: Edition,
): Edition {
  const { scheduleChangedAt, ongoingChangedAt } = snapshot;
  const documents = new Map<string, Document>();
  const add = (address: string, text: string, changedAt: number) =>
    documents.set(address, sameOr(before?.documents.get(address), JSON_TYPE, text, changedAt));

  add(SCHEDULE_ADDRESS, JSON.stringify(presentSchedule(snapshot)), scheduleChangedAt);
  const pages = countPages(snapshot.ongoing);
  for (let page = 1; page <= pages; page += 1)
    add(homeAddress(page), JSON.stringify(presentHome(snapshot, page)), ongoingChangedAt);
  const rendered = renderEvents({ events, last: snapshot.lastEvent }, ongoingChangedAt);
  add(EVENTS_ADDRESS, textOf(documentSince(rendered, 0)), rendered.changedAt);
  const feeds = { snapshot, events, url: state.url ?? '', timeZone: state.timeZone };
  return {
    documents: new Map([
      ...documents,
      ...renderFront(snapshot, state, before?.documents),
      ...renderFeeds(feeds, before?.documents),
    ]),
    pages,
    events: rendered,
  };
}

function textOf({ identity: { bytes, rest = [] } }: Document): string {
  return Buffer.concat([bytes, ...rest]).toString();
}

import type { AnimeEvent } from '../domain/event.ts';
import type { Snapshot } from '../domain/listing.ts';
import { countPages, presentHome, presentSchedule } from './api.ts';
import { createDocument, type Document, sameOr } from './document.ts';
import { type News, presentEvents } from './events.ts';
import { type Feeds, renderFeeds } from './feeds/feeds.ts';
import { type Front, type FrontState, renderFront } from './front.ts';
import { type OnDemand, onDemand } from './on-demand.ts';

/** Every document of one snapshot. It is swapped as a whole, so that what is served together belongs together. */
export interface Edition {
  snapshot: Snapshot;
  schedule: Document;
  /** Page N of the ongoing list is `home[N - 1]`. */
  home: Document[];
  front: Front;
  feeds: Feeds;
  news: News;
  /** The events after the one of that number. */
  eventsAfter: OnDemand<number>;
}

const JSON_TYPE = 'application/json; charset=utf-8';

/** Renders a snapshot. A document with the same bytes as before is taken over, compressed as it is. */
export async function renderEdition(
  { snapshot, events }: { snapshot: Snapshot; events: readonly AnimeEvent[] },
  state: FrontState,
  before?: Edition,
): Promise<Edition> {
  const { scheduleChangedAt, ongoingChangedAt } = snapshot;
  const pages = Array.from({ length: countPages(snapshot.ongoing) }, (_, index) => index);
  const news = { events, last: snapshot.lastEvent };
  const render = (json: object, changedAt: number, known: Document | undefined) =>
    sameOr(known, JSON_TYPE, JSON.stringify(json), changedAt);
  return {
    snapshot,
    schedule: await render(presentSchedule(snapshot), scheduleChangedAt, before?.schedule),
    home: await Promise.all(
      pages.map((index) => render(presentHome(snapshot, index + 1), ongoingChangedAt, before?.home[index])),
    ),
    front: await renderFront(snapshot, state, before?.front),
    feeds: await renderFeeds(
      { snapshot, events, url: state.url ?? '', timeZone: state.timeZone },
      before?.feeds,
    ),
    news,
    eventsAfter:
      before?.snapshot === snapshot
        ? before.eventsAfter
        : onDemand((since) =>
            createDocument(JSON_TYPE, JSON.stringify(presentEvents(news, since)), ongoingChangedAt),
          ),
  };
}

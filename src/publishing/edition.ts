import type { AnimeEvent } from '../domain/event.ts';
import type { Snapshot } from '../domain/listing.ts';
import { countPages, presentHome, presentSchedule } from './api.ts';
import { type Document, sameOr } from './document.ts';
import { documentSince, type RenderedEvents, renderEvents } from './events.ts';
import { type Feeds, renderFeeds } from './feeds/feeds.ts';
import { type Front, type FrontState, renderFront } from './front.ts';

/**
 * Every document of one snapshot. It is swapped as a whole, so that what is served together belongs together. It is
 * plain data without functions: it can be rendered in one thread and served in another.
 */
export interface Edition {
  snapshot: Snapshot;
  schedule: Document;
  /** Page N of the ongoing list is `home[N - 1]`. */
  home: Document[];
  front: Front;
  feeds: Feeds;
  events: RenderedEvents;
  /** The events from the beginning. */
  firstEvents: Document;
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
  const render = (json: object, changedAt: number, known: Document | undefined) =>
    sameOr(known, JSON_TYPE, JSON.stringify(json), changedAt);
  const rendered =
    before?.snapshot === snapshot
      ? before.events
      : renderEvents({ events, last: snapshot.lastEvent }, ongoingChangedAt);
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
    events: rendered,
    firstEvents: await sameOr(
      before?.firstEvents,
      JSON_TYPE,
      textOf(documentSince(rendered, 0)),
      rendered.changedAt,
    ),
  };
}

function textOf({ identity: { bytes, rest = [] } }: Document): string {
  return Buffer.concat([bytes, ...rest]).toString();
}

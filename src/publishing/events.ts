import type { Foreseen } from '../belief/expectations/foresee.ts';
import type { Medium } from '../domain/broadcast.ts';
import type { AnimeEvent } from '../domain/event.ts';
import { changedAt, type Snapshot } from '../domain/snapshot.ts';
import { toIso } from '../domain/units.ts';
import { nameOf, numberIn } from '../store/event-position.ts';
import { animePage, EVENTS_PATH } from './addresses.ts';
import { type Content, JSON_TYPE, NEWS_CACHE_CONTROL } from './document.ts';
import type { OwnCovers } from './own-covers.ts';
import type { Event, Events } from './schemas/listing.ts';
import type { FromSchema } from './schemas/schema.ts';

/** The maximum number of events in one response. A client that has missed more requests the next ones after the last. */
const MAX_EVENTS = 1_000;

/**
 * Every kept event as text, rendered once for a snapshot. It is plain data, because one thread renders it and another one
 * serves it.
 */
export interface RenderedEvents {
  /** The name of the beginning, before the first event. */
  epoch: string;
  last: number;
  /** The number of the first event; `last + 1` when there is none. */
  oldest: number;
  /** The name of the position after each event. */
  names: readonly string[];
  /** When the last event was seen, or the list last changed; ms since 1970. */
  changedAt: number;
  /** Each event as a message of Server-Sent Events, one after another: any range of them is a slice, without a copy. */
  frames: Uint8Array;
  /** The offset of each message, followed by the end of the last one. */
  starts: readonly number[];
}

/** The last event that a client has, and the `epoch` that it was given with that one or an earlier one, if it says so. */
export interface EventPosition {
  epoch?: string | undefined;
  number: number;
}

/** What events show that is not kept with them: it is as it is now, not as it was then. */
export interface EventContext {
  /** Public origin of the listing. */
  url: string;
  /** The calendar of broadcasts, where there is one. */
  calendar?: Foreseen['calendar'];
  /** The covers that are kept here, where there are any. */
  covers?: Pick<OwnCovers, 'addressOf' | 'changedAt'> | undefined;
}

/** `events`: from the oldest that is kept to the last one of the snapshot, without gaps. */
export function renderEvents(
  events: readonly AnimeEvent[],
  snapshot: Snapshot,
  context: EventContext,
): RenderedEvents {
  const { epoch, lastEvent: last, ongoingChangedAt } = snapshot;
  const { calendar, covers } = context;
  const idsChangedAt = calendar ? Math.max(calendar.readAt, changedAt(snapshot)) : 0;
  const coversChangedAt = covers?.changedAt(events) ?? 0;
  const names = events.map((event) => nameOf(epoch, event));
  const frames = events.map((event, index) => {
    const data = JSON.stringify(presentEvent(event, context));
    return Buffer.from(`id: ${names[index]}-${event.number}\nevent: ${event.type}${DATA}${data}\n\n`);
  });
  const starts = [0];
  for (const { length } of frames) starts.push(starts.at(-1)! + length);
  return {
    epoch,
    last,
    oldest: events[0]?.number ?? last + 1,
    names,
    changedAt: Math.max(events.at(-1)?.at ?? ongoingChangedAt, idsChangedAt, coversChangedAt),
    frames: Buffer.concat(frames),
    starts,
  };
}

/** What is before the JSON of an event in its message. */
const DATA = '\ndata: ';

/** What a client is given as `epoch` with the event of that number: the name of its position. */
export function epochAt({ epoch, oldest, names }: RenderedEvents, number: number): string {
  return names[number - oldest] ?? epoch;
}

/** The messages with the events after a position: from the one at `from` to the one before `to`. */
export interface EventRange {
  from: number;
  to: number;
  /**
   * Whether the log has the position. If not, either the log is behind, or the position belongs to a history that is gone: the
   * store was lost, or a backup was restored. Only the store can say which.
   */
  isKnown: boolean;
  /** Whether the log has the position, and still has every event after it. */
  isComplete: boolean;
}

export function rangeAfter(log: RenderedEvents, { epoch = log.epoch, number }: EventPosition): EventRange {
  const { last, oldest } = log;
  const to = last + 1 - oldest;
  const isKnown = epoch === epochAt(log, numberIn(epoch)) && number <= last;
  const since = isKnown ? number : last;
  const from = Math.min(Math.max(0, since + 1 - oldest), to);
  return { from, to, isKnown, isComplete: isKnown && since + 1 >= oldest };
}

/**
 * The answer to a client whose position the log does not have, while nothing shows that it is wrong: no events, and the
 * position as the client sent it. The next question, here or at another process, goes on from there.
 */
export function standstillContent({ epoch, changedAt }: RenderedEvents, position: EventPosition): Content {
  const answer: FromSchema<typeof Events> = {
    status: true,
    data: {
      epoch: position.epoch ?? epoch,
      last: position.number,
      complete: true,
      hasMore: false,
      events: [],
    },
  };
  return eventsDocument(JSON.stringify(answer), changedAt);
}

/**
 * The answer with the events after a position, from a log that is up to date with the store. `complete: false` means that the client
 * must read the list again, because it may have missed an event.
 */
export function eventsContent(rendered: RenderedEvents, position: EventPosition): Content {
  const { from, to, isComplete } = rangeAfter(rendered, position);
  const end = Math.min(to, from + MAX_EVENTS);
  const last = end < to ? rendered.oldest + end - 1 : rendered.last;
  const { changedAt } = rendered;
  const envelope: FromSchema<typeof Events> = {
    status: true,
    data: {
      epoch: epochAt(rendered, last),
      last,
      complete: isComplete,
      hasMore: last < rendered.last,
      events: [],
    },
  };
  const frames = new TextDecoder()
    .decode(sliceFrames(rendered, from, end))
    .split('\n\n')
    .slice(0, -1);
  const events = frames.map((frame) => frame.slice(frame.indexOf(DATA) + DATA.length));
  const text = JSON.stringify(envelope).replace('[]', () => `[${events.join(',')}]`);
  return eventsDocument(text, changedAt);
}

function eventsDocument(text: string, changedAt: number): Content {
  return {
    address: EVENTS_PATH,
    contentType: JSON_TYPE,
    text,
    changedAt,
    cacheControl: NEWS_CACHE_CONTROL,
  };
}

/** The ids of an anime; null where a calendar of broadcasts does not know it. */
export function idsOf(medium: Medium | null | undefined) {
  return medium ? { anilist: medium.id, mal: medium.idMal } : null;
}

/** The JSON of an event: `at` in ISO 8601, null for a missing address; `ids` with a calendar. */
export function presentEvent(
  { at, image, link, isReturn: _, toldAt: __, hasEpisodes: ___, ...event }: AnimeEvent,
  { url, calendar, covers }: EventContext,
): FromSchema<typeof Event> {
  const addresses = {
    image: covers?.addressOf(event.slug) ?? image ?? null,
    link: link ?? null,
    page: animePage(url, event.slug),
  };
  const ids = calendar && { ids: idsOf(calendar.media.get(event.slug)) };
  return { ...event, ...addresses, ...ids, at: toIso(at) };
}

/** The messages from the one at `from` to the one before `to`. */
export function sliceFrames({ frames, starts }: RenderedEvents, from: number, to: number): Uint8Array {
  return frames.subarray(starts[from], starts[to]);
}

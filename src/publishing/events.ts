import { nameOf, numberIn } from '../crawler/event-position.ts';
import type { AnimeEvent } from '../domain/event.ts';
import type { Snapshot } from '../domain/listing.ts';
import { type IdsOf, presentIds } from './api.ts';
import { addHeaders, type Document, digestOf, JSON_TYPE, NEWS_CACHE_CONTROL } from './document.ts';
import type { Event, Events } from './schemas/listing.ts';
import type { FromSchema } from './schemas/schema.ts';

/** The maximum number of events in one response. A client that has missed more requests the next ones after the last. */
const MAX_EVENTS = 1_000;

/** Concatenated texts: any range of them is a slice of the same bytes, without a copy. */
interface Texts {
  bytes: Uint8Array;
  /** The offset of each text, followed by the end of the last one. */
  starts: readonly number[];
}

/**
 * Every kept event as text, rendered once for a snapshot. An answer or a replay is a slice of it. It is plain data,
 * because one thread renders it and another one serves it.
 */
export interface RenderedEvents {
  /** The name of the beginning, before the first event. */
  epoch: string;
  last: number;
  /** The number of the first text; `last + 1` when there is none. */
  oldest: number;
  /** The name of the position after each text. */
  names: readonly string[];
  /** When the last event was seen, or the list last changed; ms since 1970. */
  changedAt: number;
  /** The JSON of each event, followed by a comma. */
  json: Texts;
  /** Each event as a message of Server-Sent Events. */
  frames: Texts;
}

/** The last event that a client has, and the `epoch` that it was given with that one or an earlier one, if it says so. */
export interface EventPosition {
  epoch: string | undefined;
  number: number;
}

/**
 * `events`: from the oldest that is kept to the last one of the snapshot, without gaps. `idsChangedAt`: when what `idsOf` says
 * last changed, ms since 1970.
 */
export function renderEvents(
  events: readonly AnimeEvent[],
  { epoch, lastEvent: last, ongoingChangedAt }: Snapshot,
  { idsOf, idsChangedAt = 0 }: { idsOf?: IdsOf; idsChangedAt?: number | undefined } = {},
): RenderedEvents {
  const texts = events.map((event) => JSON.stringify(presentEvent(event, idsOf?.(event.slug))));
  const names = events.map((event) => nameOf(epoch, event));
  const json = joinTexts(texts.map((text) => `${text},`));
  const frames = joinTexts(
    events.map(
      ({ number, type }, index) => `id: ${names[index]}-${number}\nevent: ${type}\ndata: ${texts[index]}\n\n`,
    ),
  );
  return {
    epoch,
    last,
    oldest: events[0]?.number ?? last + 1,
    names,
    changedAt: Math.max(events.at(-1)?.at ?? ongoingChangedAt, idsChangedAt),
    json,
    frames,
  };
}

type Positions = Pick<RenderedEvents, 'epoch' | 'last' | 'oldest' | 'names'>;

/** What a client is given as `epoch` with the event of that number: the name of its position. */
export function epochAt({ epoch, oldest, names }: Positions, number: number): string {
  return names[number - oldest] ?? epoch;
}

/**
 * The range of the texts with the events after a position. It is not complete when some of them are no longer kept, when the
 * position is after `last`, or when it is one of another past: of a store that was lost, or of what a backup took back.
 */
export function eventsAfter(log: Positions, { epoch = log.epoch, number }: EventPosition) {
  const { last, oldest } = log;
  const to = last + 1 - oldest;
  const isKnown = epoch === epochAt(log, numberIn(epoch));
  const since = isKnown ? number : last;
  const from = Math.min(Math.max(0, since + 1 - oldest), to);
  return { from, to, isComplete: isKnown && since <= last && since + 1 >= oldest };
}

/**
 * The answer with the events after a position, in identity encoding only: it is made for one request.
 * `complete: false` means that the client must read the list again, because it may have missed an event.
 */
export function documentSince(rendered: RenderedEvents, position: EventPosition): Document {
  const { from, to, isComplete } = eventsAfter(rendered, position);
  const end = Math.min(to, from + MAX_EVENTS);
  const last = end < to ? rendered.oldest + end - 1 : rendered.last;
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
  const [head, tail] = JSON.stringify(envelope)
    .split(/(?<=\[)(?=\])/u)
    .map((text) => Buffer.from(text)) as [Buffer, Buffer];
  const events = sliceTexts(rendered.json, from, end);
  const { changedAt } = rendered;
  const cacheControl = NEWS_CACHE_CONTROL;
  const description = { contentType: JSON_TYPE, changedAt, vary: [], headers: [], cacheControl };
  // The comma after the last event is left out.
  const bytes = Buffer.concat([head, events.subarray(0, Math.max(0, events.length - 1)), tail]);
  const variant = { encoding: 'identity' as const, bytes, etag: `"${digestOf(bytes)}"` };
  const identity = addHeaders(variant, description);
  return { ...description, identity, variants: [identity] };
}

/** The JSON of an event: `at` in ISO 8601, null for an address that is not known. */
export function presentEvent(
  { at, image, link, isReturn: _, toldAt: __, ...event }: AnimeEvent,
  ids?: ReturnType<IdsOf>,
): FromSchema<typeof Event> {
  const addresses = { image: image ?? null, link: link ?? null };
  return { ...event, ...addresses, ...presentIds(ids), at: new Date(at).toISOString() };
}

function joinTexts(texts: readonly string[]): Texts {
  const starts = [0];
  for (const text of texts) starts.push(starts.at(-1)! + Buffer.byteLength(text));
  return { bytes: Buffer.from(texts.join('')), starts };
}

/** The texts from the one at `from` to the one before `to`. */
export function sliceTexts({ bytes, starts }: Texts, from: number, to: number): Uint8Array {
  return bytes.subarray(starts[from], starts[to]);
}

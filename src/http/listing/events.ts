import type { IncomingHttpHeaders } from 'node:http';
import type Router from '@koa/router';
import { invalidRequest } from '../../domain/errors.ts';
import { EVENTS_PATH } from '../../publishing/addresses.ts';
import { COMPRESSED_LATER, type Content, renderDocument } from '../../publishing/document.ts';
import { type EventPosition, eventsContent, standstillContent } from '../../publishing/events.ts';
import type { ListingView } from '../health.ts';
import type { Shortcut } from '../send-document.ts';
import type { EventStream } from './event-stream.ts';
import type { KeepAnswer } from './kept-answers.ts';
import { singleParameter } from './query.ts';
import type { ReadStore } from './read-store.ts';
import { requireEdition } from './require-edition.ts';
import type { SendDocument } from './send.ts';
import { settlePosition } from './settle-position.ts';

const STREAM_PATH = `${EVENTS_PATH}/stream`;
const EPOCH = /^[0-9a-z]{1,32}$/u;
const EVENT_ID = /^([0-9a-z]{1,32})-(\d+)$/u;

interface EventRoutesOptions {
  view: ListingView;
  stream: EventStream;
  readStore: ReadStore;
  keep: KeepAnswer;
  send: SendDocument;
}

/** The routes of events: the ones after a number, and their stream. */
export function routeEvents(
  router: Router,
  { view, stream, readStore, keep, send }: EventRoutesOptions,
): void {
  const eventsNow = () => requireEdition(view).events;
  const render = (content: Content) => renderDocument({ ...content, ...COMPRESSED_LATER }, view.now());

  router.get(EVENTS_PATH, async (ctx) => {
    requireEdition(view);
    const position = positionOf(ctx.querystring, { number: 0 });
    if (position && !(await settlePosition(position, eventsNow, readStore))) {
      // Not kept: the store may know more a moment later.
      send(ctx, render(standstillContent(eventsNow(), position)));
      return;
    }
    const { documents, events } = requireEdition(view);
    const isFromStart = position?.number === 0 && (position.epoch ?? events.epoch) === events.epoch;
    const all = isFromStart ? documents.get(EVENTS_PATH) : undefined;
    const answer = () => render(eventsContent(events, position ?? { number: events.last }));
    send(ctx, all ?? keep(ctx.url, answer));
  });

  router.get(STREAM_PATH, (ctx) => {
    stream.attach(ctx.res, streamPosition(ctx.headers, ctx.querystring));
    ctx.respond = false;
  });
}

/** Attaches clients to the stream before Koa, whose context would stay in memory as long as the stream. */
export function streamShortcut(stream: EventStream): Shortcut {
  return (request, response, path, query) => {
    if (request.method !== 'GET' || path !== STREAM_PATH) return false;
    stream.attach(response, streamPosition(request.headers, query));
    return true;
  };
}

function streamPosition(headers: IncomingHttpHeaders, query: string): EventPosition | undefined {
  const id = headers['last-event-id'];
  return id ? parseEventId(String(id)) : positionOf(query);
}

/** The position in `since` and `epoch`, `start` without them. Undefined for the end: `?since=now` asks for what comes. */
function positionOf(query: string, start?: EventPosition): EventPosition | undefined {
  const since = singleParameter(query, 'since');
  if (since === 'now') return undefined;
  const epoch = singleParameter(query, 'epoch');
  if (epoch !== undefined && !EPOCH.test(epoch)) {
    throw invalidRequest('epoch must come from an earlier response');
  }
  if (since === undefined && epoch === undefined) return start;
  return { epoch, number: parseEventNumber(since ?? '0', 'since') };
}

/** An id of the stream is `EPOCH-NUMBER`; before there were epochs it was the number alone. */
function parseEventId(id: string): EventPosition {
  const [, epoch, number = id] = EVENT_ID.exec(id) ?? [];
  return { epoch, number: parseEventNumber(number, 'Last-Event-ID') };
}

function parseEventNumber(text: string, name: string): number {
  if (/^(?:0|[1-9]\d{0,14})$/u.test(text)) return Number(text);
  throw invalidRequest(`${name} must be the number of an event, 0 for the beginning or now for the end`);
}

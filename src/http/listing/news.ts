import type { IncomingMessage, RequestListener } from 'node:http';
import type Router from '@koa/router';
import type { Context } from 'koa';
import { AppError } from '../../domain/errors.ts';
import { MINUTE_MS, parseDuration, WEEK_MS } from '../../domain/units.ts';
import { createDocument, type Document, type Documents } from '../../publishing/document.ts';
import { EVENTS_ADDRESS } from '../../publishing/edition.ts';
import { documentSince, type EventPosition } from '../../publishing/events.ts';
import { addAlarms, joinCalendars } from '../../publishing/feeds/calendar.ts';
import {
  ATOM_PATH,
  addressOf,
  CALENDAR_PATH,
  CALENDAR_TYPE,
  JSON_FEED_PATH,
} from '../../publishing/feeds/feeds.ts';
import type { ListingView } from '../health.ts';
import type { CountDocument } from '../send-document.ts';
import type { EventStream } from './event-stream.ts';
import { normalizeSlug, requireEdition } from './require-edition.ts';

const STREAM_ADDRESS = `${EVENTS_ADDRESS}/stream`;
const EPOCH = /^[0-9a-z]{1,32}$/u;
const EVENT_ID = /^([0-9a-z]{1,32})-(\d+)$/u;
/** In place of a number: after the last event. */
const NOW = 'now';
/** The maximum number of anime in one calendar. Joining it takes some microseconds for each request. */
const MAX_SLUGS = 50;
const MAX_ALARM_MS = WEEK_MS;

/** The routes of news: the events after a number, their stream, and the feeds and calendars of chosen anime. */
export function routeNews(
  router: Router,
  view: ListingView,
  stream: EventStream,
  send: (ctx: Context, document: Document) => void,
): void {
  router.get(EVENTS_ADDRESS, (ctx) => {
    const { documents, events } = requireEdition(view);
    const position = isFromNow(ctx)
      ? { epoch: undefined, number: events.last }
      : (positionOf(ctx) ?? { epoch: undefined, number: 0 });
    const isFromStart = position.number === 0 && (position.epoch ?? events.epoch) === events.epoch;
    const all = isFromStart ? documents.get(EVENTS_ADDRESS) : undefined;
    send(ctx, all ?? documentSince(events, position));
  });
  router.get(STREAM_ADDRESS, (ctx) => {
    stream.attach(ctx.res, streamPosition(ctx.req, ctx.querystring));
    ctx.respond = false;
  });
  router.get(CALENDAR_PATH, (ctx) => {
    const minutes = alarmOf(ctx);
    const calendar = findCalendar(requireEdition(view).documents, slugsOf(ctx));
    send(ctx, minutes === undefined ? calendar : withAlarms(calendar, minutes));
  });
  for (const path of [ATOM_PATH, JSON_FEED_PATH]) {
    router.get(path, (ctx) => {
      const slug = singleParameter(ctx, 'slug');
      const { documents } = requireEdition(view);
      const feed = documents.get(slug === undefined ? path : addressOf(path, normalizeSlug(slug)));
      if (feed) return send(ctx, feed);
      throw new AppError('not-found', 'no anime with this slug is listed, or was in the last 90 days');
    });
  }
}

/**
 * Attaches clients to the stream before Koa sees the request: its context would stay in memory as long as the stream. Leaves
 * everything else to `fallback`, including errors. `count` is absent where nothing is measured.
 */
export function streamBefore(
  fallback: RequestListener,
  stream: EventStream,
  count?: CountDocument,
): RequestListener {
  return (request, response) => {
    const [path, query = ''] = (request.url ?? '').split('?', 2);
    if (request.method !== 'GET' || path !== STREAM_ADDRESS) return fallback(request, response);
    try {
      stream.attach(response, streamPosition(request, query));
    } catch {
      return fallback(request, response);
    }
    count?.(STREAM_ADDRESS, 'GET', 200);
  };
}

function streamPosition({ headers }: IncomingMessage, querystring: string): EventPosition | undefined {
  const id = headers['last-event-id'];
  return id ? parseEventId(String(id)) : isFromNow({ querystring }) ? undefined : positionOf({ querystring });
}

function slugsOf(ctx: Context): string[] {
  const slugs = new Set(new URLSearchParams(ctx.querystring).getAll('slug').map(normalizeSlug));
  if (slugs.size <= MAX_SLUGS) return [...slugs];
  throw new AppError('invalid-request', `slug may be given up to ${MAX_SLUGS} times`);
}

/** `?alarm=30m`: how many minutes before an entry the calendar program should give notice. */
function alarmOf(ctx: Context): number | undefined {
  const text = singleParameter(ctx, 'alarm');
  if (text === undefined) return undefined;
  const ms = parseDuration(text) ?? Number.NaN;
  if (ms <= MAX_ALARM_MS) return Math.round(ms / MINUTE_MS);
  throw new AppError('invalid-request', 'alarm must be a duration of at most seven days, such as 30m');
}

function withAlarms({ identity, changedAt }: Document, minutes: number): Document {
  return createDocument(CALENDAR_TYPE, addAlarms(identity.bytes, minutes), changedAt, {
    encodings: ['identity'],
  });
}

/**
 * Finds the calendar of these anime, or of all when none is named. An unknown anime is left out, so that a subscription to
 * several still works after one of them is forgotten.
 */
function findCalendar(documents: Documents, slugs: readonly string[]): Document {
  const week = documents.get(CALENDAR_PATH) as Document;
  if (slugs.length === 0) return week;
  const found = slugs.flatMap((slug) => documents.get(addressOf(CALENDAR_PATH, slug)) ?? []);
  const [first] = found;
  if (!first)
    throw new AppError('not-found', 'no anime with this slug is listed, or was in the last 90 days');
  if (found.length === 1) return first;
  const calendar = joinCalendars(found.map(({ identity }) => identity.bytes));
  // The whole week changes with each of them, and also when one of them is no longer in it.
  const changedAt = Math.max(week.changedAt, ...found.map((one) => one.changedAt));
  return createDocument(CALENDAR_TYPE, calendar, changedAt, { encodings: ['identity'] });
}

/** What Koa's context has. */
type Query = Pick<Context, 'querystring'>;

function singleParameter(ctx: Query, name: string): string | undefined {
  const [value, ...others] = new URLSearchParams(ctx.querystring).getAll(name);
  if (others.length === 0) return value;
  throw new AppError('invalid-request', `${name} must be given once`);
}

/** `?since=now`: only what comes. */
function isFromNow(ctx: Query): boolean {
  return singleParameter(ctx, 'since') === NOW;
}

/** The position in `since` and `epoch`; undefined without them. */
function positionOf(ctx: Query): EventPosition | undefined {
  const since = singleParameter(ctx, 'since');
  const epoch = singleParameter(ctx, 'epoch');
  if (epoch !== undefined && !EPOCH.test(epoch))
    throw new AppError('invalid-request', 'epoch must be the one of an earlier response');
  return since === undefined && epoch === undefined
    ? undefined
    : { epoch, number: parseEventNumber(since ?? '0', 'since') };
}

/** An id of the stream is `EPOCH-NUMBER`; before there were epochs it was the number alone. */
function parseEventId(id: string): EventPosition {
  const [, epoch, number = id] = EVENT_ID.exec(id) ?? [];
  return { epoch, number: parseEventNumber(number, 'Last-Event-ID') };
}

function parseEventNumber(text: string, name: string): number {
  if (/^(?:0|[1-9]\d{0,14})$/u.test(text)) return Number(text);
  throw new AppError(
    'invalid-request',
    `${name} must be the number of an event, 0 for the beginning or now for the end`,
  );
}

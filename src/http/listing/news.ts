import type { IncomingHttpHeaders } from 'node:http';
import type Router from '@koa/router';
import type { Context } from 'koa';
import { AppError, invalidRequest } from '../../domain/errors.ts';
import { MINUTE_MS, parseDuration, WEEK_MS } from '../../domain/units.ts';
import {
  ATOM_PATH,
  CALENDAR_PATH,
  EVENTS_PATH,
  feedAddress,
  JSON_FEED_PATH,
} from '../../publishing/addresses.ts';
import {
  COMPRESSED_LATER,
  type Content,
  createDocument,
  type Document,
  type Documents,
  renderDocument,
} from '../../publishing/document.ts';
import type { Edition } from '../../publishing/edition.ts';
import { type EventPosition, eventsContent, standstillContent } from '../../publishing/events.ts';
import { addAlarms, CALENDAR_TYPE, joinCalendars } from '../../publishing/feeds/calendar-text.ts';
import type { ListingView } from '../health.ts';
import type { Shortcut } from '../send-document.ts';
import type { EventStream } from './event-stream.ts';
import type { ReadStore } from './read-store.ts';
import { normalizeSlug, requireEdition } from './require-edition.ts';
import { settlePosition } from './settle-position.ts';

const STREAM_PATH = `${EVENTS_PATH}/stream`;
const EPOCH = /^[0-9a-z]{1,32}$/u;
const EVENT_ID = /^([0-9a-z]{1,32})-(\d+)$/u;
/** The maximum number of anime in one calendar. Joining it takes some microseconds for each request. */
const MAX_SLUGS = 50;
const MAX_ALARM_MS = WEEK_MS;

interface NewsOptions {
  view: ListingView;
  stream: EventStream;
  readStore: ReadStore;
  send: (ctx: Context, document: Document) => void;
}

/** The routes of news: the events after a number, their stream, and the feeds and calendars of chosen anime. */
export function routeNews(router: Router, { view, stream, readStore, send }: NewsOptions): void {
  const keep = createAnswers(view);
  const eventsNow = () => requireEdition(view).events;
  const render = (content: Content) => renderDocument({ ...content, ...COMPRESSED_LATER }, view.now());

  router.get(EVENTS_PATH, async (ctx) => {
    requireEdition(view);
    const position = positionOf(ctx.querystring, { number: 0 });
    // Not kept: the store may know more a moment later.
    if (position && !(await settlePosition(position, eventsNow, readStore)))
      return send(ctx, render(standstillContent(eventsNow(), position)));
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
  router.get(CALENDAR_PATH, (ctx) => {
    const minutes = alarmOf(ctx);
    const { documents } = requireEdition(view);
    const slugs = slugsOf(ctx);
    const answer = () => {
      const calendar = findCalendar(documents, slugs);
      if (minutes === undefined) return calendar;
      const text = addAlarms(String(calendar.identity.bytes), minutes);
      return createDocument(CALENDAR_TYPE, text, calendar.changedAt, COMPRESSED_LATER);
    };
    send(ctx, keep(ctx.url, answer));
  });
  for (const path of [ATOM_PATH, JSON_FEED_PATH]) {
    router.get(path, (ctx) => {
      const slug = singleParameter(ctx.querystring, 'slug');
      const { documents } = requireEdition(view);
      const feed = documents.get(slug === undefined ? path : feedAddress(path, normalizeSlug(slug)));
      send(ctx, feed ?? refuseSlug());
    });
  }
}

/** How many answers are kept. Each may take some hundred kilobytes, and as much again for its encodings. */
const MAX_ANSWERS = 50;

/**
 * Returns a function that keeps the answer for an address, with its encodings, until the edition changes. Many clients request
 * the same addresses.
 */
function createAnswers(view: ListingView): (url: string, make: () => Document) => Document {
  let edition: Edition | undefined;
  const answers = new Map<string, Document>();
  return (url, make) => {
    const current = view.edition();
    if (current !== edition) answers.clear();
    edition = current;
    const kept = answers.get(url);
    if (kept) return kept;
    const answer = make();
    if (answers.size >= MAX_ANSWERS) answers.clear();
    answers.set(url, answer);
    return answer;
  };
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

function refuseSlug(): never {
  throw new AppError('not-found', 'no anime with this slug is listed, or was in the last 90 days');
}

function slugsOf(ctx: Context): string[] {
  const slugs = new Set(new URLSearchParams(ctx.querystring).getAll('slug').map(normalizeSlug));
  if (slugs.size <= MAX_SLUGS) return [...slugs];
  throw invalidRequest(`slug may be given up to ${MAX_SLUGS} times`);
}

/** `?alarm=30m`: how many minutes before an entry the calendar program should give notice. */
function alarmOf(ctx: Context): number | undefined {
  const text = singleParameter(ctx.querystring, 'alarm');
  if (text === undefined) return undefined;
  const ms = parseDuration(text) ?? Number.NaN;
  if (ms <= MAX_ALARM_MS) return Math.round(ms / MINUTE_MS);
  throw invalidRequest('alarm must be a duration of at most seven days, such as 30m');
}

/**
 * Finds the calendar of these anime, or of all when none is named. An unknown anime is left out, so that a subscription to
 * several still works after one of them is forgotten.
 */
function findCalendar(documents: Documents, slugs: readonly string[]): Document {
  const week = documents.get(CALENDAR_PATH) as Document;
  if (slugs.length === 0) return week;
  const found = slugs.flatMap((slug) => documents.get(feedAddress(CALENDAR_PATH, slug)) ?? []);
  if (found.length <= 1) return found[0] ?? refuseSlug();
  const calendar = joinCalendars(found.map(({ identity }) => String(identity.bytes)));
  // The whole week changes with each of them, and also when one of them is no longer in it.
  const changedAt = Math.max(week.changedAt, ...found.map((one) => one.changedAt));
  return createDocument(CALENDAR_TYPE, calendar, changedAt, COMPRESSED_LATER);
}

function singleParameter(query: string, name: string): string | undefined {
  const [value, ...others] = new URLSearchParams(query).getAll(name);
  if (others.length === 0) return value;
  throw invalidRequest(`${name} must be given once`);
}

/** The position in `since` and `epoch`, `start` without them. Undefined for the end: `?since=now` asks for what comes. */
function positionOf(query: string, start?: EventPosition): EventPosition | undefined {
  const since = singleParameter(query, 'since');
  if (since === 'now') return undefined;
  const epoch = singleParameter(query, 'epoch');
  if (epoch !== undefined && !EPOCH.test(epoch))
    throw invalidRequest('epoch must be the one of an earlier response');
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

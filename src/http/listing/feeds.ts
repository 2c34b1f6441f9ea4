import type Router from '@koa/router';
import { invalidRequest } from '../../domain/errors.ts';
import { MINUTE_MS, parseDuration, WEEK_MS } from '../../domain/units.ts';
import { ATOM_PATH, CALENDAR_PATH, feedAddress, JSON_FEED_PATH } from '../../publishing/addresses.ts';
import {
  COMPRESSED_LATER,
  createDocument,
  type Document,
  type Documents,
} from '../../publishing/document.ts';
import { addAlarms, CALENDAR_TYPE, joinCalendars } from '../../publishing/feeds/calendar-text.ts';
import type { ListingView } from '../health.ts';
import type { KeepAnswer } from './kept-answers.ts';
import { singleParameter } from './query.ts';
import { normalizeSlug, refuseSlug, requireEdition } from './require-edition.ts';
import type { SendDocument } from './send.ts';

/** The maximum number of anime in one calendar. Joining it takes some microseconds for each request. */
const MAX_SLUGS = 50;
const MAX_ALARM_MS = WEEK_MS;

interface FeedRoutesOptions {
  view: ListingView;
  keep: KeepAnswer;
  send: SendDocument;
}

/** The routes of feeds and calendars with parameters: of chosen anime, and with alarms. */
export function routeFeeds(router: Router, { view, keep, send }: FeedRoutesOptions): void {
  router.get(CALENDAR_PATH, (ctx) => {
    const minutes = alarmOf(ctx.querystring);
    const { documents } = requireEdition(view);
    const slugs = slugsOf(ctx.querystring);
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

function slugsOf(query: string): string[] {
  const slugs = new Set(new URLSearchParams(query).getAll('slug').map(normalizeSlug));
  if (slugs.size <= MAX_SLUGS) return [...slugs];
  throw invalidRequest(`slug may be given up to ${MAX_SLUGS} times`);
}

/** `?alarm=30m`: how many minutes before an entry the calendar program should give notice. */
function alarmOf(query: string): number | undefined {
  const text = singleParameter(query, 'alarm');
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

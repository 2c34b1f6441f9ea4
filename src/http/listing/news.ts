import type Router from '@koa/router';
import type { Context } from 'koa';
import { AppError } from '../../domain/errors.ts';
import type { Document } from '../../publishing/document.ts';
import { EVENTS_ADDRESS } from '../../publishing/edition.ts';
import { documentSince } from '../../publishing/events.ts';
import { CALENDAR_PATH, calendarAddress } from '../../publishing/feeds/feeds.ts';
import type { ListingView } from '../health.ts';
import type { EventStream } from './event-stream.ts';
import { requireEdition } from './require-edition.ts';

/** Routes of what is new: the events after a number, their stream, and the calendar of one anime. */
export function routeNews(
  router: Router,
  view: ListingView,
  stream: EventStream,
  send: (ctx: Context, document: Document) => void,
): void {
  router.get(EVENTS_ADDRESS, (ctx) => {
    const since = parseEventNumber(singleParameter(ctx, 'since') ?? '0', 'since');
    const { documents, events } = requireEdition(view);
    const all = since === 0 ? documents.get(EVENTS_ADDRESS) : undefined;
    send(ctx, all ?? documentSince(events, since));
  });
  router.get('/api/anime/events/stream', (ctx) => {
    const since = ctx.get('Last-Event-ID') || singleParameter(ctx, 'since');
    stream.attach(ctx, since === undefined ? undefined : parseEventNumber(since, 'Last-Event-ID'));
  });
  router.get(CALENDAR_PATH, (ctx) => {
    const slug = singleParameter(ctx, 'slug');
    const { documents } = requireEdition(view);
    const calendar = documents.get(slug === undefined ? CALENDAR_PATH : calendarAddress(slug));
    if (calendar) return send(ctx, calendar);
    throw new AppError('not-found', 'no anime with this slug has a day of the week in the schedule');
  });
}

function singleParameter(ctx: Context, name: string): string | undefined {
  const [value, ...others] = new URLSearchParams(ctx.querystring).getAll(name);
  if (others.length === 0) return value;
  throw new AppError('invalid-request', `${name} must be given once`);
}

function parseEventNumber(text: string, name: string): number {
  if (/^(?:0|[1-9]\d{0,14})$/u.test(text)) return Number(text);
  throw new AppError('invalid-request', `${name} must be the number of an event, 0 for the beginning`);
}

import type Router from '@koa/router';
import type { Context } from 'koa';
import { AppError } from '../../domain/errors.ts';
import type { Document } from '../../publishing/document.ts';
import { EVENTS_ADDRESS } from '../../publishing/edition.ts';
import { documentSince } from '../../publishing/events.ts';
import { CALENDAR_PATH, calendarAddress } from '../../publishing/feeds/feeds.ts';
import type { ListingView } from '../health.ts';
import type { EventStream } from './event-stream.ts';
import { ready } from './ready.ts';

/** What is new: since an event, as a stream, and as the calendar of one anime. The feeds themselves are ready. */
export function routeNews(
  router: Router,
  view: ListingView,
  stream: EventStream,
  send: (ctx: Context, document: Document) => void,
): void {
  router.get(EVENTS_ADDRESS, (ctx) => {
    const since = readNumber(onlyOne(ctx, 'since') ?? '0', 'since');
    const { documents, events } = ready(view);
    const all = since === 0 ? documents.get(EVENTS_ADDRESS) : undefined;
    send(ctx, all ?? documentSince(events, since));
  });
  router.get('/api/anime/events/stream', (ctx) => {
    const since = ctx.get('Last-Event-ID') || onlyOne(ctx, 'since');
    stream.attach(ctx, since === undefined ? undefined : readNumber(since, 'Last-Event-ID'));
  });
  router.get(CALENDAR_PATH, (ctx) => {
    const slug = onlyOne(ctx, 'slug');
    const { documents } = ready(view);
    const calendar = documents.get(slug === undefined ? CALENDAR_PATH : calendarAddress(slug));
    if (calendar) return send(ctx, calendar);
    throw new AppError('not-found', 'no anime with this slug has a day of the week in the schedule');
  });
}

function onlyOne(ctx: Context, name: string): string | undefined {
  const [value, ...others] = new URLSearchParams(ctx.querystring).getAll(name);
  if (others.length === 0) return value;
  throw new AppError('invalid-request', `${name} must be given once`);
}

function readNumber(text: string, name: string): number {
  if (/^(?:0|[1-9]\d{0,14})$/u.test(text)) return Number(text);
  throw new AppError('invalid-request', `${name} must be the number of an event, 0 for the beginning`);
}

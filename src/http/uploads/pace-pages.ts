import type { Context, Middleware } from 'koa';
import { ownerOf } from '../../network/limiter.ts';
import { createPlaces } from '../../uploads/places.ts';

/** One owner gets 50 pages a second at most, with errors, and others' uploads the rest of the time. */
const PLACES = {
  total: 64,
  perOwner: 2,
  restMs: 40,
  maxWaitMs: 10_000,
  busy: 'too many pages are being made',
};

/** Lets the requests for the pages of files wait for a place of their sender. */
export function pacePages(addressOf: (ctx: Context) => string): Middleware {
  const inPlace = createPlaces(PLACES);
  return (ctx, next) => inPlace(ownerOf(addressOf(ctx)), next);
}

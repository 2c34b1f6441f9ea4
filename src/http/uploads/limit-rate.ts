import type { Context, Middleware } from 'koa';
import { AppError } from '../../domain/errors.ts';
import type { Report } from '../../domain/operational-event.ts';
import { limiterBuckets } from '../../uploads/buckets.ts';
import type { Limiter, Verdict } from '../../uploads/limiter.ts';

interface LimitRateOptions {
  limiter: Limiter;
  /** The maximum number of requests of one address in one window. */
  limit: number;
  windowMs: number;
  addressOf: (ctx: Context) => string;
  report: Report;
}

const HEADER = 'RateLimit';

/** Counts a request, whatever its outcome, or answers 429. */
export function limitRate({ limiter, limit, windowMs, addressOf, report }: LimitRateOptions): Middleware {
  return async (ctx, next) => {
    const verdict = await limiter.take(limiterBuckets(addressOf(ctx), limit));
    setHeaders(ctx, verdict, windowMs);
    if (verdict.ok) return next();
    report({ type: 'limiter-refused', limit: 'rate' });
    const message = `too many uploads from your address; try again in ${toSeconds(verdict.resetMs)} s`;
    throw new AppError('too-many-requests', message, { retryAfterMs: verdict.resetMs });
  };
}

/** Adds the RateLimit headers to the responses to requests that were refused before they were counted. */
export function setRateHeaders({ limiter, limit, windowMs, addressOf }: LimitRateOptions): Middleware {
  return async (ctx, next) => {
    try {
      await next();
    } finally {
      const isSet = ctx.res.hasHeader(HEADER);
      if (!isSet) setHeaders(ctx, await limiter.peek(limiterBuckets(addressOf(ctx), limit)), windowMs);
    }
  };
}

/** https://datatracker.ietf.org/doc/html/draft-ietf-httpapi-ratelimit-headers-10 */
function setHeaders(ctx: Context, { limit, remaining, resetMs }: Verdict, windowMs: number): void {
  ctx.set('RateLimit-Policy', `"upload";q=${limit};w=${toSeconds(windowMs)}`);
  ctx.set(HEADER, `"upload";r=${remaining};t=${toSeconds(resetMs)}`);
}

function toSeconds(ms: number): number {
  return Math.ceil(ms / 1_000);
}

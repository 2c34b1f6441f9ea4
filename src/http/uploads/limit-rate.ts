import type { Context, Middleware } from 'koa';
import { addressBuckets } from '../../network/address-buckets.ts';
import type { Limiter, RateLimitState } from '../../network/limiter.ts';
import { refuseOverLimit } from '../refuse-over-limit.ts';

interface LimitRateOptions {
  limiter: Limiter;
  /** The maximum number of requests of one address in one window. */
  limit: number;
}

/**
 * How many requests about its resumable uploads one address may send in a window: 200 each second for long, or 2,000
 * pieces of a file at once. A client that sends pieces of 64 KB meets it above 100 Mbit/s.
 */
export const RESUME_LIMIT = { requests: 2_000, windowMs: 10_000 } as const;

/** Counts a request, whatever its outcome, or answers 429. */
export function limitRate({ limiter, limit }: LimitRateOptions): Middleware {
  return async (ctx, next) => {
    const verdict = await limiter.take(addressBuckets(ctx.ip, limit));
    ctx.state.rate = verdict;
    refuseOverLimit(verdict, 'requests');
    return next();
  };
}

/** Adds the RateLimit headers to responses, also to those of requests that were refused before they were counted. */
export function setRateHeaders(options: LimitRateOptions & { windowMs: number }): Middleware {
  const { limiter, limit, windowMs } = options;
  return async (ctx, next) => {
    try {
      await next();
    } finally {
      const peek = async () => limiter.peek(addressBuckets(ctx.ip, limit));
      // While the limiter does not answer there is nothing to say; the request itself has failed for a reason of its own.
      const verdict: RateLimitState | undefined = ctx.state.rate ?? (await peek().catch(() => undefined));
      if (verdict) setHeaders(ctx, verdict, windowMs);
    }
  };
}

/** https://datatracker.ietf.org/doc/html/draft-ietf-httpapi-ratelimit-headers-10 */
function setHeaders(ctx: Context, { limit, remaining, resetMs }: RateLimitState, windowMs: number): void {
  ctx.set('RateLimit-Policy', `"upload";q=${limit};w=${toSeconds(windowMs)}`);
  ctx.set('RateLimit', `"upload";r=${remaining};t=${toSeconds(resetMs)}`);
}

function toSeconds(ms: number): number {
  return Math.ceil(ms / 1_000);
}

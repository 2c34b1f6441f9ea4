import type { Context, Middleware } from 'koa';
import { AppError } from '../../domain/errors.ts';
import type { Report } from '../../domain/operational-event.ts';
import type { Limiter, Verdict } from '../../uploads/limiter.ts';
import { limiterKeys } from '../../uploads/limiter-keys.ts';

export interface LimitRateOptions {
  limiter: Limiter;
  /** Requests that one address may make in one window. */
  limit: number;
  windowMs: number;
  addressOf: (ctx: Context) => string;
  report: Report;
}

const TOLD = 'RateLimit';

/** Lets a request in, which counts whatever becomes of it, or answers 429. */
export function limitRate({ limiter, limit, windowMs, addressOf, report }: LimitRateOptions): Middleware {
  return async (ctx, next) => {
    const verdict = await limiter.take(limiterKeys(addressOf(ctx), limit));
    tell(ctx, verdict, windowMs);
    if (verdict.ok) return next();
    report({ type: 'limiter-refused', limit: 'rate' });
    const message = `too many uploads from your address; try again in ${toSeconds(verdict.resetMs)} s`;
    throw new AppError('too-many-requests', message, { retryAfterMs: verdict.resetMs });
  };
}

/** Tells who is refused before being counted how much is left, as everybody is told. */
export function tellRate({ limiter, limit, windowMs, addressOf }: LimitRateOptions): Middleware {
  return async (ctx, next) => {
    try {
      await next();
    } finally {
      const isTold = ctx.res.hasHeader(TOLD);
      if (!isTold) tell(ctx, await limiter.look(limiterKeys(addressOf(ctx), limit)), windowMs);
    }
  };
}

/** https://datatracker.ietf.org/doc/html/draft-ietf-httpapi-ratelimit-headers-10 */
function tell(ctx: Context, { limit, remaining, resetMs }: Verdict, windowMs: number): void {
  ctx.set('RateLimit-Policy', `"upload";q=${limit};w=${toSeconds(windowMs)}`);
  ctx.set(TOLD, `"upload";r=${remaining};t=${toSeconds(resetMs)}`);
}

function toSeconds(ms: number): number {
  return Math.ceil(ms / 1_000);
}

import type { Context, Middleware } from 'koa';
import { AppError } from '../../domain/errors.ts';
import type { Limiter, Verdict } from '../../uploads/limiter.ts';
import { limiterKeys } from '../../uploads/limiter-keys.ts';

export interface LimitRateOptions {
  limiter: Limiter;
  /** Requests that one address may make in one window. */
  limit: number;
  windowMs: number;
  addressOf: (ctx: Context) => string;
}

/** Lets a request in or answers 429, and tells either way how much is left (draft-ietf-httpapi-ratelimit-headers-10). */
export function limitRate({ limiter, limit, windowMs, addressOf }: LimitRateOptions): Middleware {
  return async (ctx, next) => {
    const verdict = await limiter.take(limiterKeys(addressOf(ctx), limit));
    tell(ctx, verdict, windowMs);
    if (verdict.ok) return next();
    const seconds = toSeconds(verdict.resetMs);
    throw new AppError('too-many-requests', `too many uploads from your address; try again in ${seconds} s`, {
      retryAfterMs: verdict.resetMs,
    });
  };
}

function tell(ctx: Context, { limit, remaining, resetMs }: Verdict, windowMs: number): void {
  ctx.set('RateLimit-Policy', `"upload";q=${limit};w=${toSeconds(windowMs)}`);
  ctx.set('RateLimit', `"upload";r=${remaining};t=${toSeconds(resetMs)}`);
}

function toSeconds(ms: number): number {
  return Math.ceil(ms / 1_000);
}

import type { Context, Middleware } from 'koa';
import { AppError } from '../../domain/errors.ts';
import type { Report } from '../../domain/operational-event.ts';
import { limiterBuckets } from '../../uploads/buckets.ts';

interface ConcurrencyLimits {
  maxPerAddress: number;
  maxTotal: number;
}

/** Each download under way may use a descriptor and two chunks of a file. */
export const DOWNLOAD_LIMITS: ConcurrencyLimits = { maxPerAddress: 64, maxTotal: 1_024 };

/** Limits the uploads under way from one address; answers 429 above the limit. */
export function limitUploads(
  maxPerAddress: number,
  addressOf: (ctx: Context) => string,
  report: Report,
): Middleware {
  const onRefused = () => report({ type: 'limiter-refused', limit: 'concurrency' });
  const begin = createConcurrencyLimit('uploads', { maxPerAddress, maxTotal: Infinity }, 1_000, onRefused);
  return async (ctx, next) => {
    const end = begin(addressOf(ctx));
    await next().finally(end);
  };
}

/**
 * Limits the downloads under way: 429 above the limit of one address, 503 above the limit of all. A download ends when
 * its response or its connection does.
 */
export function limitDownloads(limits: ConcurrencyLimits, addressOf: (ctx: Context) => string): Middleware {
  const begin = createConcurrencyLimit('downloads', limits, 5_000);
  return (ctx, next) => {
    ctx.res.once('close', begin(addressOf(ctx)));
    return next();
  };
}

/**
 * Returns a function that counts a request in the buckets of its address, as the rate limiter does, and returns the
 * function that removes it from them. Throws AppError `too-many-requests` or `overloaded`.
 */
function createConcurrencyLimit(
  what: string,
  { maxPerAddress, maxTotal }: ConcurrencyLimits,
  retryAfterMs: number,
  onRefused = () => {},
): (address: string) => () => void {
  const counts = new Map<string, number>();
  let total = 0;

  return (address) => {
    const buckets = limiterBuckets(address, maxPerAddress);
    const full = buckets.find(({ key, limit }) => (counts.get(key) ?? 0) >= limit);
    if (full) {
      onRefused();
      const message = `${full.limit} ${what} from your address are under way; wait for one to finish`;
      throw new AppError('too-many-requests', message, { retryAfterMs });
    }
    if (total >= maxTotal) {
      const message = `too many ${what} are under way; try again in a moment`;
      throw new AppError('overloaded', message, { retryAfterMs });
    }

    const count = (step: 1 | -1) => {
      total += step;
      for (const { key } of buckets) {
        const next = (counts.get(key) ?? 0) + step;
        if (next === 0) counts.delete(key);
        else counts.set(key, next);
      }
    };
    count(1);
    return () => count(-1);
  };
}

import type { Context, Middleware } from 'koa';
import { AppError } from '../../domain/errors.ts';
import type { Report } from '../../domain/operational-event.ts';
import type { BucketKey } from '../../uploads/limiter.ts';
import { limiterKeys } from '../../uploads/limiter-keys.ts';

const UPLOAD_RETRY_MS = 1_000;
const DOWNLOAD_RETRY_MS = 5_000;

export interface UploadConcurrencyOptions {
  /** Uploads of one address that may be under way at once. */
  maxPerAddress: number;
  addressOf: (ctx: Context) => string;
  report: Report;
}

/** Limits the uploads under way from one address; answers 429 above the limit. */
export function limitUploads({ maxPerAddress, addressOf, report }: UploadConcurrencyOptions): Middleware {
  const underWay = createTally();
  return async (ctx, next) => {
    const keys = limiterKeys(addressOf(ctx), maxPerAddress);
    const exceeded = underWay.exceededLimit(keys);
    if (exceeded !== undefined) {
      report({ type: 'limiter-refused', limit: 'concurrency' });
      throw tooMany(exceeded, 'uploads', UPLOAD_RETRY_MS);
    }
    const release = underWay.add(keys);
    try {
      await next();
    } finally {
      release();
    }
  };
}

export interface DownloadLimits {
  maxPerAddress: number;
  maxTotal: number;
}

/** Each download under way may hold a descriptor and two chunks of a file. */
export const DOWNLOAD_LIMITS: DownloadLimits = { maxPerAddress: 64, maxTotal: 1_024 };

/**
 * Limits the downloads under way: 429 above the limit of one address, 503 above the limit of all. A download ends when
 * its response or its connection does.
 */
export function limitDownloads(
  { maxPerAddress, maxTotal }: DownloadLimits,
  addressOf: (ctx: Context) => string,
): Middleware {
  const underWay = createTally();
  return (ctx, next) => {
    const keys = limiterKeys(addressOf(ctx), maxPerAddress);
    const exceeded = underWay.exceededLimit(keys);
    if (exceeded !== undefined) throw tooMany(exceeded, 'downloads', DOWNLOAD_RETRY_MS);
    if (underWay.total() >= maxTotal) {
      throw new AppError('overloaded', 'too many downloads are under way; try again in a moment', {
        retryAfterMs: DOWNLOAD_RETRY_MS,
      });
    }
    ctx.res.once('close', underWay.add(keys));
    return next();
  };
}

/** Counts requests under way in the buckets of their addresses, as the rate limiter does. */
function createTally() {
  const counts = new Map<string, number>();
  let total = 0;

  return {
    total: () => total,
    /** The limit of a bucket that is full; undefined when one more request is allowed. */
    exceededLimit: (keys: readonly BucketKey[]): number | undefined =>
      keys.find(({ key, limit }) => (counts.get(key) ?? 0) >= limit)?.limit,
    /** Counts a request. Returns the function that ends it, to be called once. */
    add(keys: readonly BucketKey[]): () => void {
      const count = (step: 1 | -1) => {
        total += step;
        for (const { key } of keys) {
          const next = (counts.get(key) ?? 0) + step;
          if (next === 0) counts.delete(key);
          else counts.set(key, next);
        }
      };
      count(1);
      return () => count(-1);
    },
  };
}

function tooMany(limit: number, what: string, retryAfterMs: number): AppError {
  const message = `${limit} ${what} from your address are under way; wait for one to finish`;
  return new AppError('too-many-requests', message, { retryAfterMs });
}

import type { Middleware } from 'koa';
import { AppError } from '../../domain/errors.ts';
import { addressBuckets } from '../../network/address-buckets.ts';
import { createSums, type UploadLedger } from '../../uploads/ledger.ts';

/** Each download under way may use a descriptor and two chunks of a file. */
export const DOWNLOAD_LIMITS = { maxPerAddress: 64, maxTotal: 1_024 };
const DOWNLOAD_RETRY_MS = 5_000;

/** Limits the uploads under way from one address; answers 429 above the limit. */
export function limitUploads(slots: Pick<UploadLedger, 'take' | 'give'>, maxPerAddress: number): Middleware {
  return async (ctx, next) => {
    const buckets = addressBuckets(ctx.ip, maxPerAddress, 'uploads');
    const taken = await slots.take(buckets, 1, 1);
    if (!taken.ok) throw tooMany('uploads', buckets[taken.short]?.limit ?? maxPerAddress, 1_000);
    const keys = buckets.map(({ key }) => key);
    await next().finally(() => void slots.give(keys, 1, taken.term));
  };
}

/**
 * Limits the downloads under way in this process: 429 above the limit of one address, 503 above the limit of all. A
 * download ends when its response or its connection does.
 */
export function limitDownloads({ maxPerAddress, maxTotal }: typeof DOWNLOAD_LIMITS): Middleware {
  const sums = createSums();
  return (ctx, next) => {
    const ofAddress = addressBuckets(ctx.ip, maxPerAddress, 'downloads');
    const buckets = [...ofAddress, { key: 'all', limit: maxTotal }];
    const taken = sums.take(buckets, 1, 1);
    if (!taken.ok) {
      const full = buckets[taken.short];
      if (full?.key !== 'all') throw tooMany('downloads', full?.limit ?? maxPerAddress, DOWNLOAD_RETRY_MS);
      const message = 'too many downloads are under way; try again in a moment';
      throw new AppError('overloaded', message, { retryAfterMs: DOWNLOAD_RETRY_MS });
    }
    const keys = buckets.map(({ key }) => key);
    ctx.res.once('close', () => sums.add(keys, -1));
    return next();
  };
}

function tooMany(what: string, limit: number, retryAfterMs: number): AppError {
  const message = `${limit} ${what} from your address are under way; wait for one to finish`;
  return new AppError('too-many-requests', message, { retryAfterMs });
}

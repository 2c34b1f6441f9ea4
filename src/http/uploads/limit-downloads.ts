import type { Context, Middleware } from 'koa';
import { AppError } from '../../domain/errors.ts';

const RETRY_MS = 5_000;

export interface DownloadLimits {
  perAddress: number;
  total: number;
}

/** Each download under way may hold a descriptor and two pieces of a file. */
export const DOWNLOAD_LIMITS: DownloadLimits = { perAddress: 64, total: 1_024 };

/** Lets so many downloads be under way at once; one ends when its response does, or its connection. */
export function limitDownloads(limits: DownloadLimits, ownerOf: (ctx: Context) => string): Middleware {
  const perOwner = new Map<string, number>();
  let total = 0;

  function add(owner: string, count: 1 | -1): void {
    const next = (perOwner.get(owner) ?? 0) + count;
    total += count;
    if (next === 0) perOwner.delete(owner);
    else perOwner.set(owner, next);
  }

  return (ctx, next) => {
    const owner = ownerOf(ctx);
    if ((perOwner.get(owner) ?? 0) >= limits.perAddress) {
      const message = `${limits.perAddress} downloads from your address are under way; wait for one to finish`;
      throw new AppError('too-many-requests', message, { retryAfterMs: RETRY_MS });
    }
    if (total >= limits.total) {
      throw new AppError('overloaded', 'too many downloads are under way; try again in a moment', {
        retryAfterMs: RETRY_MS,
      });
    }
    add(owner, 1);
    ctx.res.once('close', () => add(owner, -1));
    return next();
  };
}

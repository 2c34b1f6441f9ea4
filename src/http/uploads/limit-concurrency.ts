import type { Context, Middleware } from 'koa';
import { AppError } from '../../domain/errors.ts';
import type { Report } from '../../domain/operational-event.ts';

const RETRY_MS = 1_000;

/** Lets one owner have so many requests under way at once. */
export function limitConcurrency(
  limit: number,
  ownerOf: (ctx: Context) => string,
  report: Report,
): Middleware {
  const underWay = new Map<string, number>();
  return async (ctx, next) => {
    const owner = ownerOf(ctx);
    const others = underWay.get(owner) ?? 0;
    if (others >= limit) {
      report({ type: 'limiter-refused', limit: 'concurrency' });
      const message = `${limit} uploads from your address are under way; wait for one to finish`;
      throw new AppError('too-many-requests', message, { retryAfterMs: RETRY_MS });
    }
    underWay.set(owner, others + 1);
    try {
      await next();
    } finally {
      const left = (underWay.get(owner) ?? 1) - 1;
      if (left === 0) underWay.delete(owner);
      else underWay.set(owner, left);
    }
  };
}

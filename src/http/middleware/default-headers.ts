import type { Middleware } from 'koa';

/** Makes responses uncacheable and keeps browsers from guessing their types, unless a route sets other headers. */
export const defaultHeaders: Middleware = (ctx, next) => {
  ctx.set({ 'X-Content-Type-Options': 'nosniff', 'Cache-Control': 'no-store' });
  return next();
};

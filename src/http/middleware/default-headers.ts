import type { Middleware } from 'koa';

/** Nobody keeps an answer, nor guesses its type, unless what answers says otherwise. */
export const defaultHeaders: Middleware = (ctx, next) => {
  ctx.set({ 'X-Content-Type-Options': 'nosniff', 'Cache-Control': 'no-store' });
  return next();
};

import type { Middleware } from 'koa';

/** Sent with every answer of the origin: anybody's page may read the listing, and see how fresh it is. */
export const CORS_HEADERS = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'ETag, Cache-Status',
} as const;

const PREFLIGHT_HEADERS = {
  'Access-Control-Allow-Methods': 'GET, HEAD',
  'Access-Control-Allow-Headers': '*',
  'Access-Control-Max-Age': '86400',
};

/** Allows reading from anywhere, and answers every OPTIONS. */
export const cors: Middleware = async (ctx, next) => {
  ctx.set(CORS_HEADERS);
  if (ctx.method !== 'OPTIONS') return next();
  ctx.set({ ...PREFLIGHT_HEADERS, Allow: 'GET, HEAD, OPTIONS' });
  ctx.status = 204;
};

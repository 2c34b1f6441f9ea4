import { randomUUID } from 'node:crypto';
import type { Context } from 'koa';

export const REQUEST_ID = 'X-Request-Id';

/** Ids of this form go into logs and headers unescaped. */
const SAFE = /^[\w.-]{1,64}$/u;

/** Returns the id of a request in logs and in error responses: the one that a reverse proxy has given it, or a new one. */
export function requestId(ctx: Context): string {
  const proxyId = ctx.get(REQUEST_ID);
  ctx.state.requestId ??= SAFE.test(proxyId) ? proxyId : randomUUID();
  return ctx.state.requestId;
}

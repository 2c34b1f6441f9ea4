import { randomUUID } from 'node:crypto';
import type { Context } from 'koa';

export const REQUEST_ID = 'X-Request-Id';

/** Goes into logs and headers as it is. */
const SAFE = /^[\w.-]{1,64}$/u;

/** What a request is called in the logs and in an error's answer: as the proxy in front calls it, else a new name. */
export function requestId(ctx: Context): string {
  const { state } = ctx;
  state.requestId ??= SAFE.test(ctx.get(REQUEST_ID)) ? ctx.get(REQUEST_ID) : randomUUID();
  return state.requestId as string;
}

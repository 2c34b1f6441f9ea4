import type { Context } from 'koa';

/** Sends text as plain text, whatever it looks like, and anything else as JSON. */
export function sendBody(ctx: Context, body: string | object): void {
  if (typeof body === 'string') ctx.type = 'text/plain; charset=utf-8';
  ctx.body = body;
}

import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Middleware } from 'koa';

/** How long a client that is still sending is listened to after it has been answered. */
const LINGER_MS = 1_500;

/**
 * Makes an early answer arrive. A client that is still sending its body when the connection closes sees a broken
 * pipe, not the answer. So the answer is written whole, and only then, after reading and discarding for a while,
 * ended, which closes the connection.
 */
export const lingeringClose: Middleware = async (ctx, next) => {
  await next();
  const { req, res } = ctx;
  if (req.complete || req.destroyed || ctx.body == null || ctx.respond === false) return;
  const isBytes = typeof ctx.body === 'string' || Buffer.isBuffer(ctx.body);
  const body: string | Buffer = isBytes ? ctx.body : JSON.stringify(ctx.body);
  ctx.respond = false;
  res.setHeader('Connection', 'close');
  res.setHeader('Content-Length', Buffer.byteLength(body));
  // HEAD has nothing to write: its headers would wait for the end.
  if (ctx.method === 'HEAD') res.flushHeaders();
  else res.write(body);
  req.resume();
  const done = new AbortController();
  const sent = Promise.race([once(req, 'end', done), once(req, 'close', done)]);
  await Promise.race([sent, sleep(LINGER_MS, undefined, done)]).catch(() => {});
  done.abort();
  res.end();
};

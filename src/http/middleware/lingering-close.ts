import { once } from 'node:events';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { Middleware } from 'koa';

/** How long a client may go on sending after it has been answered. */
const LINGER_MS = 1_500;

/**
 * Lets a client that is still sending its body receive an early response. If the connection closed at once, the client
 * would see a broken pipe instead. So this writes the whole response, discards what the client sends for a while, and only
 * then ends the response, which closes the connection.
 */
export const lingeringClose: Middleware = async (ctx, next) => {
  await next();
  const { req, res } = ctx;
  // Node runs promises between the body and the end of a request, even when both came in one segment.
  if (!req.complete) await nextTurn();
  if (req.complete || req.destroyed || ctx.body == null || ctx.respond === false) return;
  const isBytes = typeof ctx.body === 'string' || Buffer.isBuffer(ctx.body);
  const body: string | Buffer = isBytes ? ctx.body : JSON.stringify(ctx.body);
  ctx.respond = false;
  res.shouldKeepAlive = false;
  res.setHeader('Content-Length', Buffer.byteLength(body));
  // A response to HEAD has no body, and without one Node would send the headers only at the end.
  if (ctx.method === 'HEAD') res.flushHeaders();
  else res.write(body);
  req.resume();
  const done = new AbortController();
  const sent = Promise.race([once(req, 'end', done), once(req, 'close', done)]);
  await Promise.race([sent, sleep(LINGER_MS, undefined, done)]).catch(() => {});
  done.abort();
  res.end();
};

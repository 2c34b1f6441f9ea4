import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Context, Middleware } from 'koa';
import type { Lingering } from '../server/linger.ts';

/**
 * Lets a client that is still sending its body receive an early response, whose end closes the connection. `clientOf` returns
 * the name under which a request counts, as in the server's own refusals, with which it shares `lingering`.
 */
export function lingeringClose(lingering: Lingering, clientOf: (ctx: Context) => string): Middleware {
  return async (ctx, next) => {
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
    lingering.endAfterRequest(res, clientOf(ctx));
  };
}

import { randomUUID } from 'node:crypto';
import type { Context, Middleware } from 'koa';
import type { Origin, Report } from '../../domain/operational-event.ts';
import { parseUploadId } from '../../domain/upload-id.ts';

/**
 * Reports every response except documents. Most responses are documents, and reporting each would cost as much time as
 * documents save, so they are only counted. The reverse proxy writes the access log. This has to be used before
 * `errorBody`, which sets `code`.
 */
export function requestLog(origin: Origin, report: Report): Middleware {
  return async (ctx, next) => {
    const startedAt = performance.now();
    await next();
    report({
      type: 'request-answered',
      origin,
      id: requestId(ctx),
      method: ctx.method,
      path: loggedPath(ctx.path),
      route: routeOf(ctx),
      status: ctx.res.statusCode,
      code: ctx.state.code ?? null,
      tookMs: performance.now() - startedAt,
    });
  };
}

/** Returns the pattern of the route, never the path: it is a label of metrics, and clients choose the paths. */
function routeOf({ _matchedRoute: route }: Context): string | null {
  return route === undefined ? null : String(route);
}

export const REQUEST_ID = 'X-Request-Id';

/** Ids of this form go into logs and headers unescaped. */
const SAFE = /^[\w.-]{1,64}$/u;

/** Returns the id of a request in logs and in error responses: given by a reverse proxy, or new. */
export function requestId(ctx: Context): string {
  const proxyId = ctx.get(REQUEST_ID);
  ctx.state.requestId ??= SAFE.test(proxyId) ? proxyId : randomUUID();
  return ctx.state.requestId;
}

const MAX_LENGTH = 1_024;
const DELETION = /^\/+d(?:\/|%2f)+(?<id>[^/%]*)/iu;
/** Whatever follows an id may be the secret of a delete address, at any path. */
const AFTER_ID = /(?<id>[1-9a-z][0-9a-z]{32,33})(?:\/|%2f).*$/iu;

/** The rest of such a path is the secret of a resumable upload. */
const RESUMABLE = /^\/+files(?:\/|%2f)/iu;

/** Returns a request's path for logs and messages: without the secrets of uploads, and not too long. */
export function loggedPath(path: string): string {
  if (RESUMABLE.test(path)) return '/files/***';
  const id = DELETION.exec(path)?.groups?.id;
  if (id === undefined) return path.slice(0, MAX_LENGTH).replace(AFTER_ID, '$<id>/***');
  return `/d/${parseUploadId(id) === undefined ? '***' : id}/***`;
}

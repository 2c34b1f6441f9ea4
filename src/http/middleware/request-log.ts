import type { Context, Middleware } from 'koa';
import type { Origin, Report } from '../../domain/operational-event.ts';
import { loggedPath } from '../logged-path.ts';
import { requestId } from '../request-id.ts';

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

import type { Context, Middleware } from 'koa';
import type { Origin, Report } from '../../domain/operational-event.ts';
import { loggedPath } from '../logged-path.ts';
import { requestId } from '../request-id.ts';

/**
 * Reports every response but documents, which are most of them and are only counted: a report for each would cost what
 * the documents save. The proxy in front writes the access log. This belongs around `errorBody`, which sets `code`.
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

/** The pattern of the route, never the path: paths are up to the clients, and a metric has a label for each route. */
function routeOf({ _matchedRoute: route }: Context): string | null {
  return route === undefined ? null : String(route);
}

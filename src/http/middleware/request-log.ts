import type { Context, Middleware } from 'koa';
import type { Origin, Report } from '../../domain/operational-event.ts';
import { loggedPath } from '../logged-path.ts';
import { requestId } from '../request-id.ts';

/**
 * Tells of every answer but the ready documents, which are too many and too much alike: those are only counted, by
 * a tally. Stands around `errorBody`, which notes the code of a refusal.
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

/** The pattern of the route that answered: there are as many as the app has, whatever is asked for. */
function routeOf({ _matchedRoute: route }: Context): string | null {
  return route === undefined ? null : String(route);
}

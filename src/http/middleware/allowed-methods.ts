import type Router from '@koa/router';
import type { Middleware } from 'koa';
import { AppError } from '../../domain/errors.ts';
import { loggedPath } from './request-log.ts';

/**
 * Answers OPTIONS, and throws AppError `method-not-allowed` where the path is known and the method is not; `Allow` lists
 * the methods of the path. It has to be used before the router's own middleware. `hasDocument`: whether a document is
 * served at a path without a route. `methodsElsewhere`: the methods at a path that are not the router's, which do not make it
 * known.
 */
export function allowedMethods(
  router: Router,
  hasDocument: (path: string) => boolean,
  methodsElsewhere: (path: string) => readonly string[] = () => [],
): Middleware {
  /** A route for exactly this path takes precedence over routes whose parameters happen to match it. */
  function methodsAt(path: string): string[] {
    const routes = router.match(path, 'GET').path;
    const own = routes.filter((route) => route.path === path);
    const methods = (own.length > 0 ? own : routes).flatMap((route) => route.methods);
    if (hasDocument(path)) methods.push('GET', 'HEAD');
    return methods;
  }

  const listMethods = (path: string, methods: readonly string[]) =>
    [...[...new Set([...methods, ...methodsElsewhere(path)])].sort(), 'OPTIONS'].join(', ');

  return async (ctx, next) => {
    if (ctx.method === 'OPTIONS') {
      ctx.set('Allow', listMethods(ctx.path, methodsAt(ctx.path)));
      ctx.status = 204;
      return;
    }
    await next();
    if (ctx.status !== 404 || ctx.body != null) return;
    const methods = methodsAt(ctx.path);
    if (methods.length === 0 || methods.includes(ctx.method)) return;
    const allowed = listMethods(ctx.path, methods);
    ctx.set('Allow', allowed);
    const message = `${ctx.method} is not allowed at ${loggedPath(ctx.path)}; use ${allowed}`;
    throw new AppError('method-not-allowed', message);
  };
}

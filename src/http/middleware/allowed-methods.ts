import type { RouterMiddleware } from '@koa/router';
import { AppError } from '../../domain/errors.ts';

/** Where a path is known and the method is not, says which ones are. Stands before the router's own middleware. */
export const allowedMethods: RouterMiddleware = async (ctx, next) => {
  await next();
  const routes = ctx.matched ?? [];
  if (ctx.status !== 404 || ctx.body != null || routes.length === 0) return;
  const methods = [...new Set(routes.flatMap((route) => route.methods)), 'OPTIONS'];
  ctx.set('Allow', methods.join(', '));
  throw new AppError('method-not-allowed', `${ctx.method} is not for ${ctx.path}; use ${methods.join(', ')}`);
};

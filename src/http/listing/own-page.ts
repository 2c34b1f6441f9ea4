import type { Context } from 'koa';
import { AppError } from '../../domain/errors.ts';

/**
 * Throws AppError `blocked` for a request that a page of another site has sent. It gets no permission by CORS either;
 * this also refuses requests that browsers send without a preflight.
 */
export function requireOwnPage(ctx: Context): void {
  if (!['', 'same-origin', 'none'].includes(ctx.get('Sec-Fetch-Site')))
    throw new AppError('blocked', 'subscriptions can be changed by the pages of this site only');
}

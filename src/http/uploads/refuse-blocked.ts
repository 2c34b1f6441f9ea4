import type { Context, Middleware } from 'koa';
import { AppError } from '../../domain/errors.ts';
import type { Report } from '../../domain/operational-event.ts';
import type { BlockList } from '../../uploads/moderation/block-list.ts';

/** Refuses senders whose address is blocked, before their body is read. */
export function refuseBlocked(
  blocks: () => Promise<BlockList>,
  addressOf: (ctx: Context) => string,
  report: Report,
): Middleware {
  return async (ctx, next) => {
    const address = addressOf(ctx);
    if (!(await blocks()).hasAddress(address)) return next();
    report({ type: 'upload-blocked', by: 'address', address });
    throw new AppError('blocked', 'uploads from your address are not accepted here');
  };
}

import type { IncomingMessage } from 'node:http';
import type Router from '@koa/router';
import type { Context } from 'koa';
import { AppError } from '../../domain/errors.ts';
import { addressBuckets } from '../../network/address-buckets.ts';
import type { Limiter } from '../../network/limiter.ts';
import {
  type ChangeOutcome,
  parseRemoval,
  parseSubscription,
  type SubscriptionChange,
} from '../../outbox/push/subscription.ts';
import type { PushKey } from '../../publishing/schemas/responses.ts';
import type { FromSchema } from '../../publishing/schemas/schema.ts';
import { refuseOverLimit } from '../refuse-over-limit.ts';
import { readSmallBody } from '../request-body.ts';
import { requireOwnPage } from './own-page.ts';

export interface PushRoutesOptions {
  /** The public key of this installation; undefined until it is read. */
  key(): string | undefined;
  /** Stores a change. Undefined when there was no answer in time. */
  change(change: SubscriptionChange): Promise<ChangeOutcome | undefined>;
  /** Limits changes. Its window is an hour. */
  limiter: Limiter;
  addressOf: (request: IncomingMessage) => string;
  /** Whether endpoints may have private addresses. */
  allowsPrivate: boolean;
}

const KEY_PATH = '/push/key';
const SUBSCRIPTION_PATH = '/push/subscription';
/** How many changes one address may make in an hour. */
const MAX_CHANGES = 20;
/** The longest endpoint, and as many slugs as there may be, of an unusual length. */
const MAX_BODY_BYTES = 32 * 1024;
const RETRY_MS = 10_000;

export type PushRoutes = (router: Router) => void;

/** The routes of Web Push. Only the pages of this origin use them. */
export function pushRoutes({
  key,
  change,
  limiter,
  addressOf,
  allowsPrivate,
}: PushRoutesOptions): PushRoutes {
  /** Makes the change in a body. An address over its limit is refused before its body is read. */
  async function makeChange(ctx: Context, parse: typeof parseSubscription | typeof parseRemoval) {
    requireOwnPage(ctx);
    const buckets = addressBuckets(addressOf(ctx.req), MAX_CHANGES);
    refuseOverLimit(await limiter.peek(buckets), 'changes');
    if (ctx.is('application/json') !== 'application/json')
      throw new AppError('unsupported-media-type', 'send application/json');
    const wanted = parse(await readSmallBody(ctx, MAX_BODY_BYTES), allowsPrivate);
    refuseOverLimit(await limiter.take(buckets), 'changes');
    const outcome = await change(wanted);
    if (outcome === 'full')
      throw new AppError('storage-full', 'this service keeps no more subscriptions; try again another day');
    if (outcome !== 'done') refuse('the subscription could not be stored');
    ctx.status = 204;
  }

  return (router) => {
    router.get(KEY_PATH, (ctx) => {
      const data = { key: key() ?? refuse('the key is not known yet') };
      ctx.body = { status: true, data } satisfies FromSchema<typeof PushKey>;
    });
    router.put(SUBSCRIPTION_PATH, (ctx) => makeChange(ctx, parseSubscription));
    router.delete(SUBSCRIPTION_PATH, (ctx) => makeChange(ctx, parseRemoval));
  };
}

function refuse(reason: string): never {
  throw new AppError('not-ready', `${reason}; try again in a moment`, { retryAfterMs: RETRY_MS });
}

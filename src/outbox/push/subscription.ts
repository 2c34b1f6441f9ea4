import { ECDH } from 'node:crypto';
import { invalidRequest } from '../../domain/errors.ts';
import type { Report } from '../../domain/operational-event.ts';
import { DAY_MS } from '../../domain/units.ts';
import { isPrivateHost } from '../../network/private-address.ts';
import type { Rows } from '../../store/store.ts';
import { parseObject, parseSlugs, rowKeyOf } from '../subscription-body.ts';
import type { BrowserKeys } from './encrypt.ts';

/** All that is kept of a browser that is told of new episodes. */
export interface Subscription {
  /** Where its push service takes messages for it. */
  endpoint: string;
  keys: BrowserKeys;
  /** The anime that it follows. */
  slugs: string[];
}

/** Replaces what an endpoint had. A subscription to nothing is not kept, so it needs no keys. */
export type SubscriptionChange = Subscription | { endpoint: string; slugs: [] };

/** `full`: there are as many subscriptions as are kept. `failed`: the store could not be written. */
export type ChangeOutcome = 'done' | 'full' | 'failed';

const MAX_ENDPOINT = 2_048;
const POINT_BYTES = 65;
const AUTH_BYTES = 16;
/** How many subscriptions are kept. Without room, those that no visit has sent again for 30 days make place. */
const MAX_SUBSCRIPTIONS = 50_000;
const KEPT_DAYS = 30;

/** Parses the body of a request for a subscription. Throws AppError `invalid-request`. */
export function parseSubscription(body: string, allowsPrivate: boolean): Subscription {
  const { subscription, slugs } = parseObject(body, '{"subscription","slugs"}');
  if (!(subscription instanceof Object))
    throw invalidRequest('subscription must be what PushSubscription.toJSON() returns');
  return {
    endpoint: parseEndpoint(subscription.endpoint, allowsPrivate),
    keys: parseKeys(subscription.keys ?? {}),
    slugs: parseSlugs(slugs),
  };
}

/** Parses the body of a request that ends a subscription. Throws AppError `invalid-request`. */
export function parseRemoval(body: string, allowsPrivate: boolean): SubscriptionChange {
  return { endpoint: parseEndpoint(parseObject(body, '{"endpoint"}').endpoint, allowsPrivate), slugs: [] };
}

function parseEndpoint(value: unknown, allowsPrivate: boolean): string {
  const url = typeof value === 'string' && value.length <= MAX_ENDPOINT ? URL.parse(value) : null;
  if (url && isAllowedEndpoint(url, allowsPrivate)) return url.href;
  throw invalidRequest('endpoint must be the https address of a push service, as the browser gives it');
}

/** Whether messages may be sent there. The host may still resolve to a private address, which the client refuses. */
export function isAllowedEndpoint(url: URL, allowsPrivate: boolean): boolean {
  const { protocol, username, password, hostname } = url;
  if (username || password) return false;
  if (allowsPrivate) return protocol === 'https:' || protocol === 'http:';
  return protocol === 'https:' && !isPrivateHost(hostname);
}

function parseKeys({ p256dh, auth }: Record<string, unknown>): BrowserKeys {
  const point = bytesOf(p256dh);
  const secret = bytesOf(auth);
  if (!isOnCurve(point))
    throw invalidRequest('keys.p256dh must be a public key on P-256, 65 bytes in base64url');
  if (secret.length !== AUTH_BYTES) throw invalidRequest('keys.auth must be 16 bytes in base64url');
  return { p256dh: point.toString('base64url'), auth: secret.toString('base64url') };
}

function bytesOf(value: unknown): Buffer {
  return Buffer.from(typeof value === 'string' && value.length < 200 ? value : '', 'base64url');
}

function isOnCurve(point: Buffer): boolean {
  try {
    return point.length === POINT_BYTES && ECDH.convertKey(point, 'prime256v1').length === POINT_BYTES;
  } catch {
    return false;
  }
}

interface SubscriptionsOptions {
  rows: Rows;
  report: Report;
  /** Wall clock, ms since 1970. */
  now: () => number;
  max?: number;
}

/** Returns the function that stores a change. It never rejects. */
export function createSubscriptions({ rows, report, now, max = MAX_SUBSCRIPTIONS }: SubscriptionsOptions) {
  return async (change: SubscriptionChange): Promise<ChangeOutcome> => {
    const key = rowKeyOf(change.endpoint);
    const day = Math.floor(now() / DAY_MS);
    const limit = { max, day, unusedSince: day - KEPT_DAYS };
    try {
      if (change.slugs.length > 0)
        return (await rows.put(key, JSON.stringify(change), limit)) ? 'done' : 'full';
      await rows.remove(key);
      return 'done';
    } catch (error) {
      report({ type: 'store-failed', doing: 'storing a push subscription', error });
      return 'failed';
    }
  };
}

import { hash } from 'node:crypto';
import type { Rows } from '../../crawler/store.ts';
import type { Report } from '../../domain/operational-event.ts';
import { DAY_MS } from '../../domain/units.ts';
import type { ChangeOutcome, SubscriptionChange } from './subscription.ts';

/** How many subscriptions are kept. Without room, those that no visit has sent again for 30 days make place. */
const MAX_SUBSCRIPTIONS = 50_000;
const KEPT_DAYS = 30;

interface SubscriptionsOptions {
  rows: Rows;
  report: Report;
  /** Wall clock, ms since 1970. */
  now: () => number;
  max?: number;
}

/** Returns the function that stores a change. It never rejects. A subscription to nothing is not kept. */
export function createSubscriptions({ rows, report, now, max = MAX_SUBSCRIPTIONS }: SubscriptionsOptions) {
  return async (change: SubscriptionChange): Promise<ChangeOutcome> => {
    try {
      if (change.type === 'put' && change.subscription.slugs.length > 0) {
        const { subscription } = change;
        const day = Math.floor(now() / DAY_MS);
        const limit = { max, day, unusedSince: day - KEPT_DAYS };
        const key = rowKeyOf(subscription.endpoint);
        return (await rows.put(key, JSON.stringify(subscription), limit)) ? 'done' : 'full';
      }
      await rows.remove(rowKeyOf(change.type === 'put' ? change.subscription.endpoint : change.endpoint));
      return 'done';
    } catch (error) {
      report({ type: 'store-failed', doing: 'storing a push subscription', error });
      return 'failed';
    }
  };
}

/** A digest, which is as long for every endpoint, and does not reveal it. */
export function rowKeyOf(endpoint: string): string {
  return hash('sha256', endpoint, 'hex').slice(0, 32);
}

import { hash } from 'node:crypto';
import type { Rows } from '../crawler/store.ts';
import type { Report } from '../domain/operational-event.ts';
import type { ChangeOutcome, SubscriptionChange } from './subscription.ts';

/** How many subscriptions are kept. */
const MAX_SUBSCRIPTIONS = 50_000;

/** Returns the function that stores a change. It never rejects. A subscription to nothing is not kept. */
export function createSubscriptions(rows: Rows, report: Report) {
  return async (change: SubscriptionChange): Promise<ChangeOutcome> => {
    try {
      if (change.type === 'put' && change.subscription.slugs.length > 0) {
        const { subscription } = change;
        const isStored = await rows.put(
          rowKeyOf(subscription.endpoint),
          JSON.stringify(subscription),
          MAX_SUBSCRIPTIONS,
        );
        return isStored ? 'done' : 'full';
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

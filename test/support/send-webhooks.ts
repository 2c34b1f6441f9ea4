import { flushCompileCache } from 'node:module';
import { createWebhookClient } from '../../src/webhooks/client.ts';
import { startWebhookSender } from '../../src/webhooks/sender.ts';
import { openEventStore } from './webhook-store.ts';

/*
 * A process to be killed: `send-webhooks.ts STORE RECEIVER` sends what is in a store to a receiver, and tries again at once
 * where that fails.
 */
// A process that is killed does not write its compile cache.
flushCompileCache();
const [, , storeUrl = '', url = ''] = process.argv;

startWebhookSender({
  store: await openEventStore(storeUrl),
  receivers: [{ kind: 'standard', url }],
  client: createWebhookClient(true),
  secret: null,
  userAgent: 'Tayang/test',
  retry: { firstMs: 1, random: Math.random },
  report(event) {
    if (event.type === 'store-failed') console.error(event.error);
  },
  now: Date.now,
});

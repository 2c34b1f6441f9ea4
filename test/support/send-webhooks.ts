import { flushCompileCache } from 'node:module';
import { createWebhookClient } from '../../src/webhooks/client.ts';
import { postWebhook } from '../../src/webhooks/post-webhook.ts';
import { startWebhookSender } from '../../src/webhooks/sender.ts';
import { openEventStore } from './webhook-store.ts';

/*
 * A process to be killed: `send-webhooks.ts STORE RECEIVER` sends what is in a store to a receiver, and tries again at once
 * where that fails.
 */
// A process that is killed does not write its compile cache.
flushCompileCache();
const [, , storeUrl = '', url = ''] = process.argv;
const client = createWebhookClient(true);
const options = { client, secret: null, userAgent: 'Tayang/test', now: Date.now };

startWebhookSender({
  store: await openEventStore(storeUrl),
  receivers: [{ kind: 'standard', url }],
  post: (address, message, signal) => postWebhook(address, message, options, signal),
  retry: { firstMs: 1, random: Math.random },
  report(event) {
    if (event.type === 'store-failed') console.error(event.error);
  },
  now: Date.now,
});

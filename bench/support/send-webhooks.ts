import { flushCompileCache } from 'node:module';
import { createWebhookClient } from '../../src/outbox/client.ts';
import { startOutbox } from '../../src/outbox/outbox.ts';
import { createWebhookReceivers } from '../../src/outbox/webhooks/webhook-receiver.ts';
import { openEventStore } from '../../test/support/webhook-store.ts';

/*
 * A process to be killed: `send-webhooks.ts STORE RECEIVER` sends what is in a store to a receiver, and tries again at once
 * where that fails.
 */
// A process that is killed does not write its compile cache.
flushCompileCache();
const [, , storeUrl = '', url = ''] = process.argv;
const now = Date.now;

startOutbox({
  store: await openEventStore(storeUrl),
  receivers: createWebhookReceivers([{ kind: 'standard', url }], {
    client: createWebhookClient(true),
    secret: null,
    eventContext: () => ({ url: 'http://tayang.test' }),
    userAgent: 'Tayang/test',
    now,
  }),
  tellsTrouble: true,
  retry: { firstMs: 1, random: Math.random },
  report(event) {
    if (event.type === 'store-failed') console.error(event.error);
  },
  now,
});

import { flushCompileCache } from 'node:module';
import type { Report } from '../../src/domain/operational-event.ts';
import { createWebhookClient } from '../../src/outbox/client.ts';
import { startOutbox } from '../../src/outbox/outbox.ts';
import { createPostPush } from '../../src/outbox/push/post-push.ts';
import { createPushReceiver } from '../../src/outbox/push/push-receiver.ts';
import { createAuthorization, createVapidKeys } from '../../src/outbox/push/vapid.ts';
import { openEventStore } from './webhook-store.ts';

/* A process to be killed: `send-push.ts STORE` tells the subscriptions in a store what is new in it. */
// A process that is killed does not write its compile cache.
flushCompileCache();
const [, , storeUrl = ''] = process.argv;
const now = Date.now;
const store = await openEventStore(storeUrl);
const report: Report = (event) => {
  if (event.type === 'store-failed') console.error(event.error);
};
const post = createPostPush({
  now,
  client: createWebhookClient(true),
  authorize: createAuthorization(createVapidKeys(), 'mailto:ops@example.org'),
  allowsPrivate: true,
  userAgent: 'Tayang/test',
});
const { receiver } = createPushReceiver({ rows: store.subscriptions, post, report, now });
startOutbox({
  store,
  receivers: [receiver],
  tellsTrouble: false,
  retry: { random: Math.random },
  report,
  now,
});

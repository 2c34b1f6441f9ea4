import { flushCompileCache } from 'node:module';
import { createPostPush } from '../../src/push/post-push.ts';
import { startPushSender } from '../../src/push/push-sender.ts';
import { createAuthorization, createVapidKeys } from '../../src/push/vapid.ts';
import { createWebhookClient } from '../../src/webhooks/client.ts';
import { openEventStore } from './webhook-store.ts';

/* A process to be killed: `send-push.ts STORE` tells the subscriptions in a store what is new in it. */
// A process that is killed does not write its compile cache.
flushCompileCache();
const [, , storeUrl = ''] = process.argv;

startPushSender({
  now: Date.now,
  random: Math.random,
  store: await openEventStore(storeUrl),
  post: createPostPush({
    now: Date.now,
    client: createWebhookClient(true),
    authorize: createAuthorization(createVapidKeys(), 'mailto:ops@example.org'),
    allowsPrivate: true,
    userAgent: 'Tayang/test',
  }),
  report(event) {
    if (event.type === 'store-failed') console.error(event.error);
  },
});

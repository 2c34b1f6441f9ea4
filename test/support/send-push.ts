import { flushCompileCache } from 'node:module';
import { readConfig } from '../../src/app/config.ts';
import { openOutbox } from '../../src/app/open-outbox.ts';
import type { Report } from '../../src/domain/operational-event.ts';
import { openEventStore } from './webhook-store.ts';

/* A process to be killed: `send-push.ts STORE` tells the subscriptions in a store what is new in it. */
// A process that is killed does not write its compile cache.
flushCompileCache();
const [, , storeUrl = ''] = process.argv;
const config = readConfig({ PUSH_CONTACT: 'mailto:ops@example.org', WEBHOOK_PRIVATE: 'on' }, 'test');
const store = await openEventStore(storeUrl);
const report: Report = (event) => {
  if (event.type === 'store-failed') console.error(event.error);
};
openOutbox(config, {
  store,
  origins: { listing: '', uploads: '' },
  eventContext: () => ({ url: '' }),
  report,
});

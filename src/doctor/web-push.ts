import { openStore } from '../app/open-store.ts';
import { toIso } from '../domain/units.ts';
import { readDenials } from '../outbox/push/denials.ts';
import type { Check } from './check.ts';

/** Shows which push services have refused messages from this installation. */
export const checkWebPush: Check = async (config, show) => {
  const { pushContact } = config;
  if (pushContact === null) return show('off', 'no Web Push (PUSH_CONTACT)');
  // The check of the store reports a store that cannot be opened.
  const store = await openStore(config).catch(() => undefined);
  if (!store) return;
  try {
    const denials = await readDenials(store, pushContact);
    for (const { origin, reason, since } of denials)
      show(
        'problem',
        `${origin} has refused push messages since ${toIso(since)}: ${reason}; check PUSH_CONTACT and the clock`,
      );
    if (denials.length === 0) show('ok', 'no push service has refused messages so far');
  } finally {
    await store.close();
  }
};

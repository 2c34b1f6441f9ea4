import { openStore } from '../app/open-store.ts';
import { MAX_CHANNELS } from '../outbox/channels/channels.ts';
import { readRows } from '../outbox/rows.ts';
import type { Check } from './check.ts';

/** Counts the channels that readers added. */
export const checkChannels: Check = async (config, show) => {
  if (config.channels === 'off') return show('off', 'no channels (CHANNELS)');
  // The check of the store reports a store that cannot be opened.
  const store = await openStore(config).catch(() => undefined);
  if (!store) return;
  try {
    let count = 0;
    for await (const _ of readRows(store.channels)) count += 1;
    if (count >= MAX_CHANNELS) show('warning', `${count} channels, the maximum: no more can be added`);
    else show('ok', `${count} channels get new episodes`);
  } finally {
    await store.close();
  }
};

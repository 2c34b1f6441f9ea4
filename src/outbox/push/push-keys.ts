import { coalesce } from '../../domain/serial.ts';
import { MINUTE_MS } from '../../domain/units.ts';
import { waitForLease } from '../../store/leased-job.ts';
import type { SnapshotStore } from '../../store/snapshot-store.ts';
import { createVapidKeys, type VapidKeys } from './vapid.ts';

const KEY = 'push:keys';

/**
 * Follows the keys of this installation, which are made once, and calls back with them whenever they are others than before. A
 * store that has forgotten them gets them back: with other keys, no browser would be reached before its next visit. Returns
 * the function that stops it.
 */
export function followPushKeys(
  store: Pick<SnapshotStore, 'values' | 'lease' | 'watch' | 'memory'>,
  onKeys: (keys: VapidKeys) => void,
): () => void {
  const stopping = new AbortController();
  const { signal } = stopping;
  const read = () => store.values.get<VapidKeys>(KEY);
  let known: VapidKeys | undefined;
  const remembered = store.memory.recall<VapidKeys>(KEY);
  if (remembered) learn(remembered);

  const sync = coalesce(async () => learn((await read()) ?? (await write())));

  function learn(keys: VapidKeys): void {
    const isNew = keys.publicKey !== known?.publicKey;
    known = keys;
    store.memory.note(KEY, keys);
    if (isNew && !signal.aborted) onKeys(keys);
  }

  /** Of several processes that start at once, one makes the keys. */
  async function write(): Promise<VapidKeys> {
    const lease = await waitForLease(store, 'records', { signal });
    try {
      const keys = (await read()) ?? known ?? createVapidKeys();
      await lease.write({ [KEY]: keys });
      return keys;
    } finally {
      await lease.release();
    }
  }

  /** While the store fails, which is reported elsewhere, the keys stay as they are. */
  const trySync = () => void sync().catch(() => {});
  trySync();
  const unwatch = store.watch(trySync);
  const timer = setInterval(trySync, MINUTE_MS);
  return () => {
    stopping.abort();
    unwatch();
    clearInterval(timer);
  };
}

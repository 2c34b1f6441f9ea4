import { setTimeout as sleep } from 'node:timers/promises';
import type { SnapshotStore } from '../crawler/snapshot-store.ts';
import { coalesce } from '../domain/serial.ts';
import { MINUTE_MS } from '../domain/units.ts';
import { createVapidKeys, type VapidKeys } from './vapid.ts';

type KeyStore = Pick<SnapshotStore, 'values' | 'lease' | 'watch'>;

/** It begins with the name of its lease. */
const KEY = 'push:keys';
const LEASE_POLL_MS = 100;

/**
 * Follows the keys of this installation, which are made once, and calls back with them whenever they are others than before. A
 * store that has forgotten them gets them back: with other keys, no browser would be reached before its next visit. Returns
 * the function that stops it.
 */
export function followPushKeys(store: KeyStore, onKeys: (keys: VapidKeys) => void): () => void {
  const stopping = new AbortController();
  let known: VapidKeys | undefined;

  const sync = coalesce(async () => {
    const keys = await loadPushKeys(store, known, stopping.signal);
    const isNew = keys.publicKey !== known?.publicKey;
    known = keys;
    if (isNew && !stopping.signal.aborted) onKeys(keys);
  });
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

/** Reads the keys. Where there are none, stores `known` or, in the process with the lease `push`, new ones. */
async function loadPushKeys(
  { values, lease }: KeyStore,
  known: VapidKeys | undefined,
  signal: AbortSignal,
): Promise<VapidKeys> {
  const read = () => values.get<VapidKeys>(KEY);
  const readOrWrite = async (keys: VapidKeys) => {
    const stored = await read();
    if (!stored) await values.set(KEY, keys);
    return stored ?? keys;
  };

  for (;;) {
    const stored = await read();
    if (stored) return stored;
    if (known) return readOrWrite(known);
    const taken = await lease('push');
    if (taken) return readOrWrite(createVapidKeys()).finally(taken.release);
    await sleep(LEASE_POLL_MS, undefined, { signal });
  }
}

import type { SnapshotStore } from '../../src/store/snapshot-store.ts';
import type { Store } from '../../src/store/store.ts';

type Written = Parameters<SnapshotStore['write']>[1];

/** Writes a listing, a status or both, under the lease. Throws where another process has it. */
export async function writeStore(
  store: Pick<SnapshotStore, 'lease' | 'write'>,
  written: Written,
): Promise<void> {
  const lease = await store.lease('refresh');
  if (!lease) throw new Error('the lease is held elsewhere');
  await store.write(lease, written).finally(lease.release);
}

/** Writes values of a driver under the lease. */
export async function writeValues(
  store: Pick<Store, 'lease'>,
  values: Record<string, unknown>,
): Promise<void> {
  const lease = await store.lease('refresh');
  if (!lease) throw new Error('the lease is held elsewhere');
  await lease.write(values).finally(lease.release);
}

import type { SnapshotStore } from '../../src/store/snapshot-store.ts';
import {
  type FlatStatus,
  flattenStatus,
  initialStatus,
  parseStatus,
  type Status,
} from '../../src/store/source-status.ts';

/** The status in a store, with its parts side by side. */
export async function statusOf(store: Pick<SnapshotStore, 'readStatus'>): Promise<FlatStatus> {
  return flattenStatus(await store.readStatus());
}

/** A status with these values, and else that before the first attempt; or another one with these values in place of its own. */
export function makeStatus(values: Partial<FlatStatus>, others: Status = initialStatus(0)): Status {
  return parseStatus(values, others);
}

import { randomUUID } from 'node:crypto';
import type { Records } from '../storage.ts';

/*
 * One small record, which every process polls instead of listing the others. It changes with each block and removal.
 */
const NAME = 'version';

/** Empty before the first change. */
export async function readVersion(records: Records): Promise<string> {
  return (await records.get(NAME))?.toString() ?? '';
}

/** Makes every process read again; to be called after a change is complete. */
export async function announceChange(records: Records): Promise<void> {
  await records.put(NAME, Buffer.from(randomUUID()));
}

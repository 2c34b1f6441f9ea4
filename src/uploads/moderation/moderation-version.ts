import { randomUUID } from 'node:crypto';
import type { Records } from '../storage.ts';

/** A small record that changes with each block and removal. Every process polls it instead of listing all records. */
const NAME = 'version';

/** Empty before the first change. */
export async function readVersion(records: Records): Promise<string> {
  return (await records.get(NAME))?.toString() ?? '';
}

/** Makes every process read again; to be called after a change is complete. */
export async function announceChange(records: Records): Promise<void> {
  await records.put(NAME, Buffer.from(randomUUID()));
}

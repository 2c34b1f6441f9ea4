import path from 'node:path';
import { createDesk, type Desk } from '../../src/uploads/moderation/desk.ts';
import { openDiskStorage } from '../../src/uploads/storage/disk.ts';
import type { Defer } from './defer.ts';

/** The operator's desk on the folder of a service, as a command opens it. */
export async function openDesk(dataDir: string, defer: Defer): Promise<Desk> {
  const storage = await openDiskStorage(path.join(dataDir, 'uploads'), Date.now);
  defer(() => storage.close());
  return createDesk({ storage, now: Date.now });
}

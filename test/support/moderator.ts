import path from 'node:path';
import { createModerator, type Moderator } from '../../src/uploads/moderation/moderator.ts';
import { openDiskStorage } from '../../src/uploads/storage/disk.ts';
import type { Defer } from './defer.ts';

/** The moderator of the folder of a service, as a command opens it. */
export async function openModerator(dataDir: string, defer: Defer): Promise<Moderator> {
  const storage = await openDiskStorage(path.join(dataDir, 'uploads'));
  defer(() => storage.close());
  return createModerator(storage, Date.now);
}

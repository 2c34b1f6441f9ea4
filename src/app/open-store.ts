import { existsSync } from 'node:fs';
import { access, constants } from 'node:fs/promises';
import path from 'node:path';
import { describeError } from '../domain/errors.ts';
import type { Report } from '../domain/operational-event.ts';
import { driverFor, redactSetting } from '../domain/setting-url.ts';
import { STORE_DRIVERS } from '../store/drivers.ts';
import type { Memory } from '../store/memory.ts';
import { openSnapshotStore, type SnapshotStore } from '../store/snapshot-store.ts';
import { createFolder } from '../uploads/storage/disk/files.ts';
import { hasCode } from '../uploads/storage/errors.ts';
import type { Config } from './config.ts';

/** The folder of the store; undefined where it is no file. */
export function storeFolder({ cacheUrl }: Config): string | undefined {
  return cacheUrl.startsWith('sqlite:')
    ? path.dirname(path.resolve(cacheUrl.slice('sqlite:'.length)))
    : undefined;
}

/** The note that remembers when a damaged store was set aside. */
const DAMAGED = 'damaged';

interface OpenStoreOptions {
  report?: Report;
  /** What earlier runs of this thread knew. */
  memory?: Memory;
  /** Whether the thread was restarted. The store has worked before, so it need not answer at once. */
  isRestart?: boolean;
}

/**
 * Opens the store of the listing, in a folder that it creates. Throws an Error that names the variable to change: without a
 * store there is nothing to serve. A damaged file is set aside where that can be reported.
 */
export async function openStore(config: Config, options: OpenStoreOptions = {}): Promise<SnapshotStore> {
  const { cacheUrl } = config;
  const { report, memory, isRestart = false } = options;
  let damagedAt = memory?.recall<{ at: number }>(DAMAGED)?.at ?? null;
  const onDamaged = (aside: string, error: unknown) => {
    damagedAt = Date.now();
    memory?.note(DAMAGED, { at: damagedAt });
    report?.({ type: 'store-damaged', aside, error });
  };
  const throwUnlessRestart = (error: unknown) => {
    if (!isRestart) throw error;
  };
  const folder = storeFolder(config);
  if (folder) await prepareFolder(folder, config).catch(throwUnlessRestart);
  try {
    const store = await driverFor(cacheUrl, STORE_DRIVERS)(cacheUrl, {
      ...(report && { onDamaged }),
      mayBeDown: isRestart,
    });
    return await openSnapshotStore(store, {
      random: Math.random,
      place: redactSetting(cacheUrl),
      damagedAt: () => damagedAt,
      ...(report && { report }),
      ...(memory && { memory }),
    });
  } catch (error) {
    throw new Error('CACHE_URL cannot be used', { cause: error });
  }
}

async function prepareFolder(folder: string, { dataDir }: Config): Promise<void> {
  try {
    await createFolder(folder);
    await access(folder, constants.W_OK | constants.X_OK);
  } catch (error) {
    // What is there can still be read on a disk that is read-only for now.
    if (hasCode(error, 'EROFS') && existsSync(folder)) return;
    const variable = path.relative(dataDir, folder).startsWith('..') ? 'CACHE_URL' : 'DATA_DIR';
    const owner = hasCode(error, 'EACCES', 'EPERM') ? 'run this as its owner, or ' : '';
    const advice = `${owner}set ${variable} to a folder that this user may write to`;
    throw new Error(`${folder} cannot be used (${describeError(error)}); ${advice}`);
  }
}

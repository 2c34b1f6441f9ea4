import { mkdir, readdir, rmdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expiryOf, isExpired, parseUploadId, parseUploadIds, type UploadId } from '../../../domain/upload.ts';
import { BYTELESS_LIFE_MS, type SweepableResumableStorage } from '../../resumable-storage.ts';
import { hasCode, translateDiskError, unlessMissing } from '../errors.ts';
import { expiryHourOf, placeOf } from '../expiry-hour.ts';
import { hoursIn } from './expiry-folders.ts';
import type { Removals } from './removals.ts';
import { LockedFolder } from './resumable/locked-folder.ts';
import { takeLock } from './resumable/take-lock.ts';
import {
  createFlushedSize,
  createUploadFolder,
  readState,
  readText,
  type UploadFolder,
  uploadFolder,
} from './resumable/upload-folder.ts';

interface ResumableFoldersOptions {
  root: string;
  removals: Removals;
  /** Moves a file to the path of an id. */
  moveIntoPlace: (path: string, id: UploadId) => Promise<void>;
  /** Ms since 1970. */
  clock: () => number;
}

/** Resumable uploads: a folder for each UTC hour until which they may be continued, and in it one for each upload. */
export async function openResumableFolders(
  options: ResumableFoldersOptions,
): Promise<SweepableResumableStorage> {
  const { root, removals, moveIntoPlace, clock } = options;
  await mkdir(root, { recursive: true });
  const flushedSize = createFlushedSize();
  /** Until when complete uploads name their files, ms since 1970. */
  const complete = new Map<string, number>();

  const folderOf = (key: UploadId): UploadFolder => uploadFolder(join(root, placeOf(key)));
  const keysIn = async (hour: string): Promise<UploadId[]> =>
    parseUploadIds((await unlessMissing(readdir(join(root, hour)))) ?? []);

  const remove = (key: UploadId, folder: UploadFolder) => removals.remove(key, folder.path);

  async function lock(key: UploadId): Promise<LockedFolder | undefined> {
    const folder = folderOf(key);
    if ((await readText(folder.announced)) === undefined) return undefined;
    const release = takeLock(folder.writer);
    try {
      const state = await readState(folder, flushedSize);
      const removeThis = async () => void (await remove(key, folder));
      if (state)
        return new LockedFolder({ folder, state, moveIntoPlace, clock, remove: removeThis, release });
    } catch (error) {
      release();
      throw error;
    }
    release();
    return undefined;
  }

  /** Removes an upload whose time is over. A complete one stays until its file expires, and tells its client the file's id. */
  async function sweepUpload(key: UploadId, folder: UploadFolder, now: number): Promise<boolean> {
    const size = complete.has(key) ? undefined : (await unlessMissing(stat(folder.bytes)))?.size;
    if (size === undefined) {
      const until = complete.get(key) ?? (await publishedUntil(folder));
      complete.set(key, until);
      if (Math.max(until, expiryOf(key)) > now) return false;
      await remove(key, folder);
      return until === 0;
    }
    if (isExpired(key, now)) return remove(key, folder);
    return size === 0 && forget(key, now);
  }

  /** The expiry of the file that an upload has become; 0 for one without a file. */
  async function publishedUntil(folder: UploadFolder): Promise<number> {
    const id = parseUploadId((await readText(folder.published)) ?? '');
    return id ? expiryOf(id) : 0;
  }

  /** Removes an upload if nothing of it has arrived in time and nothing is arriving. */
  async function forget(key: UploadId, now: number): Promise<boolean> {
    const locked = await lock(key).catch(() => undefined);
    if (!locked) return false;
    const { offset, announced } = locked.state;
    const isForgotten = offset === 0 && announced.createdAt + BYTELESS_LIFE_MS <= now;
    if (isForgotten) await locked.remove();
    await locked.release();
    return isForgotten;
  }

  async function removeIfEmpty(hour: string): Promise<void> {
    await unlessMissing(rmdir(join(root, hour))).catch((error: unknown) => {
      if (!hasCode(error, 'ENOTEMPTY')) throw error;
    });
  }

  return {
    async create(key, announced) {
      await createUploadFolder(folderOf(key), announced).catch((error: unknown) => {
        throw translateDiskError(error);
      });
    },

    async find(key) {
      const state = await readState(folderOf(key), flushedSize);
      // A storage that is not there has lost no upload.
      if (!state) await stat(root);
      return state;
    },

    lock,

    async finishRemoval(key) {
      return (await removals.isUnderWay(key)) && remove(key, folderOf(key));
    },

    async *usage() {
      for (const hour of await hoursIn(root)) {
        for (const key of await keysIn(hour)) {
          const state = await readState(uploadFolder(join(root, hour, key)), flushedSize);
          if (!state || state.publishedAs !== undefined || state.offset === 0) continue;
          const { owner, createdAt } = state.announced;
          yield { id: key, owner, size: state.offset, uploadedAt: createdAt };
        }
      }
    },

    async sweep(now) {
      let stagedUploads = 0;
      const present = new Set<string>();
      for (const hour of await hoursIn(root)) {
        for (const key of await keysIn(hour)) {
          present.add(key);
          stagedUploads += Number(await sweepUpload(key, uploadFolder(join(root, hour, key)), now));
        }
        if (hour < expiryHourOf(now)) await removeIfEmpty(hour);
      }
      for (const key of complete.keys()) if (!present.has(key)) complete.delete(key);
      return { stagedUploads, removed: [] };
    },
  };
}

import { mkdir, readdir, rm, rmdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expiryOf } from '../../../domain/upload.ts';
import { hasCode, translateDiskError, unlessMissing } from '../errors.ts';
import { expiryHourOf, placeOf } from '../expiry-hour.ts';
import { createHourSweeper, type SweepableResumableStorage, type SweptUpload } from '../sweep-hours.ts';
import { hoursIn } from './expiry-folders.ts';
import { takeLock } from './resumable/lock-file.ts';
import { LockedFolder } from './resumable/locked-folder.ts';
import {
  createFlushedSize,
  createUploadFolder,
  readState,
  readText,
  type UploadFolder,
  uploadFolder,
} from './resumable/upload-folder.ts';

/**
 * Resumable uploads: a folder for each UTC hour until which they may be continued, and in it one for each upload.
 * `moveIntoPlace` moves a file to the path of an id.
 */
export async function openResumableFolders(
  root: string,
  moveIntoPlace: (path: string, id: string) => Promise<void>,
  clock: () => number,
): Promise<SweepableResumableStorage> {
  await mkdir(root, { recursive: true });
  const flushedSize = createFlushedSize();

  function folderOf(key: string): UploadFolder | undefined {
    const place = placeOf(key);
    return place === undefined ? undefined : uploadFolder(join(root, place));
  }

  async function keysIn(hour: string): Promise<string[]> {
    const names = (await unlessMissing(readdir(join(root, hour)))) ?? [];
    return names.filter((name) => expiryOf(name) !== undefined);
  }

  async function* sweepHour(hour: string, now: number): AsyncGenerator<SweptUpload, void> {
    for (const key of await keysIn(hour)) yield sweepUpload(uploadFolder(join(root, hour, key)), key, now);
    if (hour < expiryHourOf(now)) await removeIfEmpty(hour);
  }

  async function removeIfEmpty(hour: string): Promise<void> {
    await unlessMissing(rmdir(join(root, hour))).catch((error: unknown) => {
      if (!hasCode(error, 'ENOTEMPTY')) throw error;
    });
  }

  return {
    async create(key, announced) {
      const folder = folderOf(key);
      if (!folder) throw new Error(`Not the key of a resumable upload: ${key}`);
      await createUploadFolder(folder, announced).catch((error: unknown) => {
        throw translateDiskError(error);
      });
    },

    async find(key) {
      const folder = folderOf(key);
      const state = folder && (await readState(folder, flushedSize));
      // A storage that is not there has lost no upload.
      if (!state) await stat(root);
      return state;
    },

    async lock(key) {
      const folder = folderOf(key);
      if (!folder || (await readText(folder.announced)) === undefined) return undefined;
      const lock = await unlessMissing(takeLock(folder.lock, clock));
      if (!lock) return undefined;
      const state = await readState(folder, flushedSize).catch(async (error: unknown) => {
        await lock.release();
        throw error;
      });
      if (state) return new LockedFolder({ folder, state, lock, moveIntoPlace, clock });
      await lock.release();
      return undefined;
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

    sweep: createHourSweeper(() => hoursIn(root), sweepHour),
  };
}

/** Removes an upload whose time is over. A complete one stays until its file expires, and tells its client the file's id. */
async function sweepUpload(folder: UploadFolder, key: string, now: number): Promise<SweptUpload> {
  const completeUntil = await readCompleteUntil(folder);
  const keptUntil = Math.max(expiryOf(key) ?? 0, completeUntil ?? 0);
  if (keptUntil > now) return { keptUntil };
  await rm(folder.path, { recursive: true, force: true });
  return { isRemoved: completeUntil === undefined };
}

/** The expiry of the file of a complete upload; undefined while the upload is not complete. */
async function readCompleteUntil(folder: UploadFolder): Promise<number | undefined> {
  const publishedAs = await readText(folder.published);
  const hasBytes = (await unlessMissing(stat(folder.bytes))) !== undefined;
  return publishedAs === undefined || hasBytes ? undefined : expiryOf(publishedAs);
}

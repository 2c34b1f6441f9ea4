import { mkdir, stat, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { UploadId } from '../../domain/upload.ts';
import { DamagedFileError, type Storage, type Usage, usageOfFile } from '../storage.ts';
import { createChunkSizes } from './disk/chunk-sizes.ts';
import { openExpiryFolders, removeFile } from './disk/expiry-folders.ts';
import { flushFolder } from './disk/folder-flusher.ts';
import { openRecords } from './disk/records.ts';
import { openRemovals } from './disk/removals.ts';
import { openResumableFolders } from './disk/resumable-folders.ts';
import { StagedFile, writeFlushed } from './disk/staged-file.ts';
import { openStaging } from './disk/staging.ts';
import { describeFile, encodeFooter, openFile } from './disk/stored-file.ts';
import { translateDiskError, unlessFull, unlessMissing } from './errors.ts';
import { stageUpload } from './staged-upload.ts';

/*
 * root/2026-08-15T21/…        files that expire in that hour (UTC), each named by its id
 * root/staging/4711-x7Qz9B/…  staged uploads of one process
 * root/moderation/…           records
 * root/resumable/…            uploads that arrive in several requests
 * root/removing/<id>          files and uploads whose removal has begun
 */

/** How long the free space is remembered. It changes by far less in this time than is always kept free. */
const FREE_BYTES_TTL_MS = 10;

/** Keeps uploads in the folder `root`. `clock` returns ms since 1970. */
export async function openDiskStorage(root: string, clock: () => number): Promise<Storage> {
  await mkdir(root, { recursive: true, mode: 0o700 });
  const staging = await openStaging(join(root, 'staging'), clock);
  const folders = openExpiryFolders(root);
  const records = await openRecords(join(root, 'moderation'), staging.nextPath);
  const removals = await openRemovals(join(root, 'removing'));
  const { moveIntoPlace } = folders;
  const resumable = await openResumableFolders({
    root: join(root, 'resumable'),
    removals,
    moveIntoPlace,
    clock,
  });
  // Flushes the names of the folders that were just created.
  await flushFolder(root);
  const chunkSizes = createChunkSizes(clock);
  let free = { bytes: 0, readAt: Number.NEGATIVE_INFINITY };

  async function freeBytes(): Promise<number> {
    const now = clock();
    if (now < free.readAt || now - free.readAt >= FREE_BYTES_TTL_MS) {
      const { bavail, bsize } = await statfs(root);
      free = { bytes: bavail * bsize, readAt: now };
    }
    return free.bytes;
  }

  return {
    stage(stream, options) {
      const file = new StagedFile(staging.nextPath(), moveIntoPlace);
      return stageUpload(stream, file, clock, options);
    },

    async open(id) {
      const file = await openFile(folders.pathOf(id), chunkSizes);
      // A storage that is not there has lost no file.
      if (!file) await stat(root);
      return file;
    },

    remove: (id) => removals.remove(id, folders.pathOf(id)),
    removing: (id) => describeFile(removals.pathOf(id)),

    async withdraw(id, mark) {
      if (!(await unlessMissing(stat(folders.pathOf(id))))) return false;
      const staged = staging.nextPath();
      await writeFlushed(staged, encodeFooter(mark));
      await moveIntoPlace(staged, id).catch(async (error: unknown) => {
        await removeFile(staged);
        throw error;
      });
      return true;
    },

    async sweep(now) {
      const removed = await removals.sweep();
      const files = await folders.sweep(now);
      const staged = await staging.sweep(now);
      const { stagedUploads } = await resumable.sweep(now);
      return { files, stagedUploads: staged + stagedUploads, removed };
    },

    async *usage() {
      for await (const { id, path } of folders.files()) {
        const usage = await readUsage(id, path);
        if (usage) yield usage;
      }
      for (const id of await removals.files()) {
        const usage = await readUsage(id, removals.pathOf(id));
        if (usage) yield usage;
      }
    },

    resumable,
    freeBytes,
    records,

    async check() {
      const path = staging.nextPath();
      await writeFile(path, 'check').catch((error) => unlessFull(translateDiskError(error)));
      await removeFile(path);
    },

    close: () => staging.close(),
  };
}

/** Undefined when the file is gone. A damaged file counts with its size and without an owner. */
async function readUsage(id: UploadId, path: string): Promise<Usage | undefined> {
  try {
    const description = await describeFile(path);
    return description && usageOfFile(id, description);
  } catch (error) {
    if (!(error instanceof DamagedFileError)) throw error;
    const stats = await unlessMissing(stat(path));
    return stats && { id, owner: '', size: stats.size, uploadedAt: 0 };
  }
}

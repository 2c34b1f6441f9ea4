import { mkdir, open, readdir, rename, stat, statfs, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { UploadId } from '../../domain/upload.ts';
import { DamagedFileError, type Storage, type Usage, usageOfFile } from '../storage.ts';
import { hoursIn, openExpiryFolders } from './disk/expiry-folders.ts';
import { createGrowingFile } from './disk/growing-file.ts';
import { flushFolder, openObjects, removeFile } from './disk/objects.ts';
import { createReadRange } from './disk/read-range.ts';
import { openResumableFiles } from './disk/resumable-files.ts';
import { openStaging } from './disk/staging.ts';
import { createFileOpener, describeFile, encodeFooter } from './disk/stored-file.ts';
import { orStorageFull, unlessFull, unlessMissing } from './errors.ts';
import { expiryHourOf, inFolder, placeOf } from './objects.ts';
import { openResumable } from './resumable.ts';
import { RESUMABLE } from './resumable-folders.ts';
import { stageUpload, type UploadWriter } from './staged-upload.ts';

/*
 * root/2026-08-15T21/…        files that expire in that hour (UTC), each named by its id
 * root/staging/4711-x7Qz9B/…  staged uploads of one process, and what it is removing
 * root/moderation/…           records
 * root/resumable/…            uploads that arrive in several requests
 */

const RECORDS = 'moderation/';
const BATCH_BYTES = 512 * 1024;
/** How long the free space is remembered. It changes by far less in this time than is always kept free. */
const FREE_BYTES_TTL_MS = 10;

/** Keeps uploads in the folder `root`. `clock` returns ms since 1970. */
export async function openDiskStorage(root: string, clock: () => number): Promise<Storage> {
  await mkdir(root, { recursive: true, mode: 0o700 });
  const staging = await openStaging(join(root, 'staging'));
  const objects = openObjects(root, staging);
  const folders = openExpiryFolders(root);
  const readRange = createReadRange();
  // Not at the first write: a command of another user could make that, and the service could then not write to them.
  await createFolders();
  // Flushes the names of the folders that were just created.
  await flushFolder(root);
  const resumable = openResumable({
    objects,
    bytes: openResumableFiles({ root, objects, readRange, publish, clock }),
    isPublished: async (id) => (await unlessMissing(stat(folders.pathOf(id)))) !== undefined,
  });
  const openFile = createFileOpener(readRange);
  let free = { bytes: 0, readAt: Number.NEGATIVE_INFINITY };

  /** Creates the folders, again where somebody has removed them. */
  async function createFolders(): Promise<void> {
    await staging.restore();
    for (const folder of [RECORDS, RESUMABLE]) await mkdir(join(root, folder), { recursive: true });
  }

  /** After a failure the file is at its staged path again, because a resumable upload can be finished later. */
  async function publish(staged: string, id: UploadId): Promise<void> {
    const path = folders.pathOf(id);
    await objects.moveTo(path, staged).catch(async (error: unknown) => {
      await unlessMissing(rename(path, staged));
      throw error;
    });
  }

  function createWriter(): UploadWriter {
    const path = staging.nextPath();
    const file = createGrowingFile(() => open(path, 'w'), BATCH_BYTES);
    return {
      append: file.append,
      async publish(id, description) {
        await file.flush(encodeFooter(description));
        await file.close();
        await publish(path, id);
      },
      async discard() {
        await file.close();
        await removeFile(path);
      },
    };
  }

  /** Moves a file aside first: the name is gone for good, or, after a failure, the file is there as it was. */
  async function remove(id: UploadId): Promise<boolean> {
    const path = folders.pathOf(id);
    const aside = staging.nextPath();
    try {
      await rename(path, aside);
    } catch (error) {
      if (await unlessMissing(stat(path))) throw error;
      return false;
    }
    try {
      await objects.flush(dirname(path));
    } catch (error) {
      await rename(aside, path);
      throw error;
    }
    await removeFile(aside);
    return true;
  }

  async function freeBytes(): Promise<number> {
    const now = clock();
    if (now < free.readAt || now - free.readAt >= FREE_BYTES_TTL_MS) {
      const { bavail, bsize } = await statfs(root);
      free = { bytes: bavail * bsize, readAt: now };
    }
    return free.bytes;
  }

  /** Removes the folders that a crash has left where uploads were created that may not be continued any more. */
  async function removeEmptyFolders(now: number): Promise<void> {
    for (const hour of await hoursIn(join(root, RESUMABLE))) {
      if (hour >= expiryHourOf(now)) continue;
      const folder = join(root, RESUMABLE, hour);
      for (const name of (await unlessMissing(readdir(folder))) ?? [])
        await objects.removeEmpty(join(folder, name));
      await objects.removeEmpty(folder);
    }
  }

  return {
    stage: (stream, options) => stageUpload(stream, createWriter(), clock, options),

    async open(id) {
      const file = await openFile(folders.pathOf(id));
      // A storage that is not there has lost no file.
      if (!file) await stat(root);
      return file;
    },

    remove,

    async withdraw(id, mark) {
      if (!(await unlessMissing(stat(folders.pathOf(id))))) return false;
      await objects.put(placeOf(id), encodeFooter(mark));
      return true;
    },

    async sweep(now) {
      await createFolders();
      const staged = await staging.sweep(now);
      const files = await folders.sweep(now);
      const { stagedUploads, removed } = await resumable.sweep(now);
      await removeEmptyFolders(now);
      return { files, stagedUploads: staged + stagedUploads, removed };
    },

    async *usage() {
      for await (const { id, path } of folders.files()) {
        const usage = await readUsage(id, path);
        if (usage) yield usage;
      }
    },

    resumable,
    freeBytes,
    records: inFolder(objects, RECORDS),

    async check() {
      await createFolders();
      const path = staging.nextPath();
      await orStorageFull(writeFile(path, 'check')).catch(unlessFull);
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

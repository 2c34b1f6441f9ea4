import { mkdir, open, opendir, readdir, rename, rm, stat, statfs, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isExpired, occupiedBytes, parseUploadId, type UploadId } from '../../domain/upload.ts';
import type { Storage } from '../storage.ts';
import { createGrowingFile } from './disk/growing-file.ts';
import { flushFolder, openObjects, removeFile } from './disk/objects.ts';
import { openResumableFiles } from './disk/resumable-files.ts';
import { openStaging } from './disk/staging.ts';
import { createFileOpener, describeFile, encodeFooter } from './disk/stored-file.ts';
import { hasCode, orStorageFull, unlessFull, unlessMissing } from './errors.ts';
import { expiryHourOf, inFolder, isExpiryHour, placeOf, RESUMABLE } from './objects.ts';
import { openResumable } from './resumable.ts';
import { stageUpload, type UploadWriter } from './staged-upload.ts';

/*
 * root/2026-08-15T21/…        files that expire in that hour (UTC), each named by its id
 * root/staging/4711-x7Qz9B/…  staged uploads of one process, and what it is removing
 * root/moderation/…           records
 * root/resumable/…            uploads that arrive in several requests
 */

const RECORDS = 'moderation/';
const BATCH_BYTES = 512 * 1024;

/** Keeps uploads in the folder `root`. `clock` returns ms since 1970. */
export async function openDiskStorage(root: string, clock: () => number): Promise<Storage> {
  await mkdir(root, { recursive: true, mode: 0o700 });
  const staging = await openStaging(join(root, 'staging'));
  const objects = openObjects(root, staging);
  const pathOf = (id: UploadId): string => join(root, placeOf(id));
  // Not at the first write: a command of another user could make that, and the service could then not write to them.
  await createFolders();
  // Flushes the names of the folders that were just created.
  await flushFolder(root);
  const resumable = openResumable({
    objects,
    bytes: openResumableFiles({ root, objects, publish, clock }),
    isPublished: async (id) => (await unlessMissing(stat(pathOf(id)))) !== undefined,
  });
  const openFile = createFileOpener();

  /** Creates the folders, again where somebody has removed them. */
  async function createFolders(): Promise<void> {
    await staging.restore();
    for (const folder of [RECORDS, RESUMABLE]) await mkdir(join(root, folder), { recursive: true });
  }

  /** After a failure the file is at its staged path again, because a resumable upload can be finished later. */
  async function publish(staged: string, id: UploadId): Promise<void> {
    const path = pathOf(id);
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

  /** Removes a file. After a failure it is there as it was. */
  async function moveAway(path: string): Promise<boolean> {
    const aside = staging.nextPath();
    if (!(await unlessMissing(rename(path, aside).then(() => true)))) return false;
    await objects.flush(dirname(path)).catch(async (error: unknown) => {
      await rename(aside, path);
      throw error;
    });
    return removeFile(aside);
  }

  /** Removes files that have expired, and resolves with their number. The ids have the expiry, so no file is opened. */
  async function sweepFiles(now: number): Promise<number> {
    const currentHour = expiryHourOf(now);
    let removed = 0;
    for (const hour of (await hoursIn(root)).filter((one) => one <= currentHour)) {
      for await (const id of idsIn(join(root, hour)))
        if (isExpired(id, now) && (await removeFile(join(root, hour, id)))) removed += 1;
      if (hour < currentHour) await rm(join(root, hour), { recursive: true, force: true });
    }
    return removed;
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
      const file = await openFile(pathOf(id));
      // A storage that is not there has lost no file.
      if (!file) await stat(root);
      return file;
    },

    async remove(id, mark) {
      const path = pathOf(id);
      const found = await (mark ? unlessMissing(stat(path)) : describeFile(path));
      if (!found) return false;
      if (mark) await objects.put(placeOf(id), encodeFooter(mark));
      return mark !== undefined || moveAway(path);
    },

    async sweep(now) {
      await createFolders();
      const staged = await staging.sweep(now);
      const files = await sweepFiles(now);
      const { stagedUploads, removed } = await resumable.sweep(now);
      await removeEmptyFolders(now);
      return { files, stagedUploads: staged + stagedUploads, removed };
    },

    async *usage() {
      for (const hour of await hoursIn(root)) {
        for await (const id of idsIn(join(root, hour))) {
          const description = await describeFile(join(root, hour, id));
          if (!description) continue;
          const { owner, uploadedAt } = description;
          yield { id, owner, size: occupiedBytes(description), uploadedAt };
        }
      }
    },

    resumable,

    async freeBytes() {
      const { bavail, bsize } = await statfs(root);
      return bavail * bsize;
    },

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

/** Resolves with the names of the folders of hours. */
async function hoursIn(root: string): Promise<string[]> {
  return (await readdir(root)).filter(isExpiryHour);
}

/** Yields the ids in a folder, a few at a time: there may be a million. Another process may sweep them meanwhile. */
async function* idsIn(folder: string): AsyncGenerator<UploadId> {
  try {
    for await (const { name } of await opendir(folder)) {
      const id = parseUploadId(name);
      if (id !== undefined) yield id;
    }
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
  }
}

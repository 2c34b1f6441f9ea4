import { randomUUID } from 'node:crypto';
import { open, opendir, readdir, rename, rm, stat, statfs, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { bytesOnDisk, occupiedBytes } from '../../domain/disk-usage.ts';
import { isExpired, parseUploadId, type UploadId } from '../../domain/upload-id.ts';
import type { Storage, Swept, Usage } from '../storage.ts';
import { removeFile } from './disk/files.ts';
import { openObjects } from './disk/objects.ts';
import { openResumableFiles } from './disk/resumable-files.ts';
import { createStagedFile, type PublishFile } from './disk/staged-file.ts';
import { createStaging, MIN_AGE_MS, STAGING } from './disk/staging.ts';
import { createFileOpener, describeFile, encodeFooter } from './disk/stored-file.ts';
import { createFolderCheck, nameFolder } from './disk/writable.ts';
import { hasCode, orStorageFull, unlessFull, unlessMissing } from './errors.ts';
import { attempt, type Failures } from './failures.ts';
import {
  COLLECTIONS,
  expiryHourOf,
  inFolder,
  isExpiryHour,
  placeOf,
  RECORDS,
  RESUMABLE,
  unknownFolders,
  VERSION,
} from './objects.ts';
import { openResumable } from './resumable-in-objects.ts';
import { stageUpload, type UploadWriter } from './staged-upload.ts';

/*
 * root/2026-08-15T21/…        files that expire in that hour (UTC), each named by its id
 * root/staging/4711-x7Qz9B/…  staged uploads of one process, and what it is removing
 * root/moderation/…           records
 * root/resumable/…            uploads that arrive in several requests
 * root/collections/…          several files under one link
 */

const BATCH_BYTES = 512 * 1024;

/** Keeps uploads in the folder `root`. */
export async function openDiskStorage(root: string): Promise<Storage> {
  const staging = createStaging(root);
  const objects = openObjects(root, staging);
  const pathOf = (id: UploadId): string => join(root, placeOf(id));
  /** After a failure the file is at its staged path again, because a resumable upload can be finished later. */
  const publish: PublishFile = (staged, id) =>
    objects.moveTo(pathOf(id), staged).catch(async (error: unknown) => {
      await unlessMissing(rename(pathOf(id), staged));
      throw error;
    });

  const isPublished = async (id: UploadId) => (await unlessMissing(stat(pathOf(id)))) !== undefined;
  const bytes = openResumableFiles(root, objects, staging, publish);
  const resumable = openResumable(objects, bytes, isPublished);
  const openFile = createFileOpener(pathOf);
  const requireWritable = createFolderCheck(root);

  /** Creates the folders, again where somebody has removed them, and the record that a full disk could not take. */
  async function prepare(): Promise<void> {
    await staging.prepare();
    const version = await unlessMissing(stat(join(root, RECORDS, VERSION)));
    if (!version?.size) await objects.put(RECORDS + VERSION, Buffer.from(randomUUID()));
  }

  function createWriter(): UploadWriter {
    let path = '';
    const create = async () => {
      path = await staging.nextPath();
      return open(path, 'w');
    };
    const file = createStagedFile(() => path, create, BATCH_BYTES, publish);
    return {
      ...file,
      async discard() {
        await file.close();
        if (path !== '') await removeFile(path);
      },
    };
  }

  /** Removes a file. After a failure it is there as it was, unless there was no space to put it aside. */
  async function moveAway(path: string): Promise<boolean> {
    const aside = await staging.nextPath().catch(() => undefined);
    const isFound = aside ? unlessMissing(rename(path, aside).then(() => true)) : removeFile(path);
    if (!(await isFound)) return false;
    await objects.flush(dirname(path)).catch(async (error: unknown) => {
      if (aside) await rename(aside, path);
      throw error;
    });
    return aside === undefined || removeFile(aside);
  }

  /** Removes files that have expired. The ids have the expiry, so no file is opened. */
  async function sweepFiles(now: number, swept: Swept, failures: Failures): Promise<void> {
    const currentHour = expiryHourOf(now);
    for (const hour of (await hoursIn(root)).filter((one) => one <= currentHour)) {
      for await (const id of idsIn(hour, failures)) {
        if (!isExpired(id, now)) continue;
        const key = `${hour}/${id}`;
        if (await attempt(failures, key, () => removeFile(join(root, key)))) swept.files += 1;
      }
      const removeHour = () => rm(join(root, hour), { recursive: true, force: true });
      if (hour < currentHour) await attempt(failures, `${hour}/*`, removeHour);
    }
  }

  /** Yields the ids in the folder of an hour, a few at a time: there may be a million. Another process may sweep them meanwhile. */
  async function* idsIn(hour: string, failures: Failures): AsyncGenerator<UploadId> {
    try {
      for await (const { name } of await opendir(join(root, hour))) {
        const id = parseUploadId(name);
        if (id !== undefined) yield id;
      }
    } catch (error) {
      if (!hasCode(error, 'ENOENT')) failures.set(`${hour}/`, error);
    }
  }

  async function* allIds(): AsyncGenerator<UploadId> {
    const failures: Failures = new Map();
    for (const hour of await hoursIn(root)) yield* idsIn(hour, failures);
    for (const error of failures.values()) throw error;
  }

  /** Undefined for a file that is missing or withdrawn. The owner of one that cannot be read is unknown. */
  async function usageOf(id: UploadId, failures: Failures): Promise<Usage | undefined> {
    const path = pathOf(id);
    const description = await attempt(failures, placeOf(id), async () => (await describeFile(path)) ?? null);
    if (description === null) return undefined;
    if (description) return { ...description, id, size: occupiedBytes(description) };
    const stats = await unlessMissing(stat(path)).catch(() => undefined);
    return stats && { id, owner: '', size: bytesOnDisk(stats.size), uploadedAt: stats.mtimeMs };
  }

  /** Removes the folders that a crash has left where uploads were created or removed. */
  async function removeEmptyFolders(now: number, failures: Failures): Promise<void> {
    for (const hour of (await unlessMissing(hoursIn(join(root, RESUMABLE)))) ?? []) {
      const folder = join(root, RESUMABLE, hour);
      await attempt(failures, `${RESUMABLE}${hour}/`, async () => {
        for (const name of (await unlessMissing(readdir(folder))) ?? []) {
          const changedAt = (await unlessMissing(stat(join(folder, name))))?.mtimeMs ?? now;
          if (now - changedAt >= MIN_AGE_MS) await objects.removeEmpty(join(folder, name));
        }
        if (hour < expiryHourOf(now)) await objects.removeEmpty(folder);
      });
    }
  }

  async function writeProbe(): Promise<void> {
    await prepare();
    const path = await staging.nextPath();
    await writeFile(path, 'check').finally(() => removeFile(path));
    await requireWritable();
  }

  return {
    stage: (chunks, maxBytes) => stageUpload(chunks, createWriter(), maxBytes),

    async open(id) {
      const file = await openFile(id);
      // A storage that is not there has lost no file.
      if (!file) await stat(root);
      return file;
    },

    async remove(id, mark) {
      const path = pathOf(id);
      if (!(await (mark ? unlessMissing(stat(path)) : describeFile(path)))) return false;
      if (mark) await objects.put(placeOf(id), encodeFooter(mark));
      return mark !== undefined || moveAway(path);
    },

    async sweep(now, failures = new Map()) {
      await attempt(failures, `${RECORDS}${VERSION}`, prepare);
      const swept: Swept = { files: 0, stagedUploads: 0, removed: [], kept: [] };
      await attempt(failures, STAGING, () => staging.sweep(now, swept, failures));
      await attempt(failures, '', () => sweepFiles(now, swept, failures));
      await attempt(failures, RESUMABLE, () => resumable.sweep(now, swept, failures));
      await attempt(failures, `${RESUMABLE}*`, () => removeEmptyFolders(now, failures));
      return swept;
    },

    async *usage(failures = new Map()) {
      // Before the first upload there is no folder.
      if (!(await unlessMissing(stat(root)))) await prepare();
      for (const hour of await hoursIn(root)) {
        for await (const id of idsIn(hour, failures)) {
          const usage = await usageOf(id, failures);
          if (usage) yield usage;
        }
      }
    },

    resumable,

    async free() {
      const { bavail, bsize, files, ffree } = await statfs(root);
      // Some file systems make inodes as they are needed, and have no number of them.
      return { bytes: bavail * bsize, files: files === 0 ? Number.POSITIVE_INFINITY : ffree };
    },

    records: inFolder(objects, RECORDS),

    collections: inFolder(objects, COLLECTIONS),

    contents: {
      ids: allIds,
      putMark: (id, mark) => objects.put(placeOf(id), encodeFooter(mark)),
      async findUnknown() {
        const names = (await unlessMissing(readdir(root, { withFileTypes: true }))) ?? [];
        const folders = names.filter((entry) => entry.isDirectory()).map(({ name }) => `${name}/`);
        return unknownFolders(folders, [STAGING]);
      },
    },

    check: () =>
      orStorageFull(writeProbe())
        .catch(unlessFull)
        .catch((error: unknown) => Promise.reject(nameFolder(root, error))),

    close: () => staging.close(),
  };
}

/** Resolves with the names of the folders of hours. */
async function hoursIn(root: string): Promise<string[]> {
  return (await readdir(root)).filter(isExpiryHour);
}

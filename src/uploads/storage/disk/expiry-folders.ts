import { mkdir, opendir, readdir, rename, rm, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expiryOf, isExpired, parseUploadId, type UploadId } from '../../../domain/upload.ts';
import { hasCode, unlessMissing } from '../errors.ts';
import { expiryHourOf, isExpiryHour, placeOf } from '../expiry-hour.ts';
import { createFolderFlusher } from './folder-flusher.ts';

/** Published files: a folder for each UTC hour in which files expire, each file named by its id. */
export function openExpiryFolders(root: string) {
  const flushFolder = createFolderFlusher();

  const pathOf = (id: UploadId): string => join(root, placeOf(id));

  return {
    pathOf,

    /**
     * Moves a staged file to the path of a valid id. Resolves once a power cut cannot undo it. After a failure the file is
     * at its staged path again, because a resumable upload can be finished later.
     */
    async moveIntoPlace(stagedPath: string, id: UploadId): Promise<void> {
      const folder = join(root, expiryHourOf(expiryOf(id)));
      const path = join(folder, id);
      // Creating the folder when the rename fails is cheaper than checking for it every time, and survives a sweep.
      const isMoved = await unlessMissing(rename(stagedPath, path).then(() => true));
      if (!isMoved) {
        await mkdir(folder, { recursive: true });
        await flushFolder(root);
        await rename(stagedPath, path);
      }
      await flushFolder(folder).catch(async (error) => {
        await rename(path, stagedPath);
        throw error;
      });
    },

    async *files(): AsyncGenerator<{ id: UploadId; path: string }> {
      for (const hour of await hoursIn(root)) {
        const folder = join(root, hour);
        for await (const id of idsIn(folder)) yield { id, path: join(folder, id) };
      }
    },

    /** Resolves with the number of files that had expired. */
    async sweep(now: number): Promise<number> {
      const currentHour = expiryHourOf(now);
      let removed = 0;
      for (const hour of await hoursIn(root)) {
        if (hour > currentHour) continue;
        removed += await removeExpired(join(root, hour), now);
        if (hour < currentHour) await rm(join(root, hour), { recursive: true, force: true });
      }
      return removed;
    },
  };
}

/** Resolves with the names of the folders of hours. */
export async function hoursIn(root: string): Promise<string[]> {
  return (await readdir(root)).filter(isExpiryHour);
}

/** Removes expired files and resolves with their number. The ids have the expiry, so no file is opened. */
async function removeExpired(folder: string, now: number): Promise<number> {
  let removed = 0;
  for await (const id of idsIn(folder)) {
    if (isExpired(id, now) && (await removeFile(join(folder, id)))) removed += 1;
  }
  return removed;
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

/** Resolves with whether there was a file to remove. */
export async function removeFile(path: string): Promise<boolean> {
  return (await unlessMissing(unlink(path).then(() => true))) ?? false;
}

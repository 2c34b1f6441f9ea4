import { opendir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isExpired, parseUploadId, type UploadId } from '../../../domain/upload.ts';
import { hasCode } from '../errors.ts';
import { expiryHourOf, isExpiryHour, placeOf } from '../objects.ts';
import { removeFile } from './objects.ts';

/** Published files: a folder for each UTC hour in which files expire, each file named by its id. */
export function openExpiryFolders(root: string) {
  const pathOf = (id: UploadId): string => join(root, placeOf(id));

  return {
    pathOf,

    async *files(): AsyncGenerator<{ id: UploadId; path: string }> {
      for (const hour of await hoursIn(root)) {
        const folder = join(root, hour);
        for await (const id of idsIn(folder)) yield { id, path: join(folder, id) };
      }
    },

    /** Removes expired files, and resolves with their number. The ids have the expiry, so no file is opened. */
    async sweep(now: number): Promise<number> {
      const currentHour = expiryHourOf(now);
      let removed = 0;
      for (const hour of (await hoursIn(root)).filter((one) => one <= currentHour)) {
        const folder = join(root, hour);
        for await (const id of idsIn(folder))
          if (isExpired(id, now) && (await removeFile(join(folder, id)))) removed += 1;
        if (hour < currentHour) await rm(folder, { recursive: true, force: true });
      }
      return removed;
    },
  };
}

/** Resolves with the names of the folders of hours. */
export async function hoursIn(root: string): Promise<string[]> {
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

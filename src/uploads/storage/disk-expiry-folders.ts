import { mkdir, opendir, readdir, rename, rm, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expiryOf } from '../../domain/upload.ts';
import { hasCode, unlessMissing } from './disk-errors.ts';
import { expiryHourOf, isExpiryHour } from './expiry-hour.ts';
import { createFolderFlusher } from './flush-folder.ts';

/** Visible files: a folder for each hour (UTC) in which files expire, each file under its id. */
export interface Hours {
  /** Undefined for anything that is not an id. */
  pathOf(id: string): string | undefined;
  /** The step that publishes. Resolves once a power cut cannot undo it. */
  moveIn(draftPath: string, id: string): Promise<void>;
  ids(): AsyncIterable<string>;
  /** Resolves with how many files had expired. */
  sweep(now: number): Promise<number>;
}

export function openExpiryFolders(root: string): Hours {
  const flushFolder = createFolderFlusher();

  async function hours(): Promise<string[]> {
    return (await readdir(root)).filter(isExpiryHour);
  }

  return {
    pathOf(id) {
      const expiry = expiryOf(id);
      return expiry === undefined ? undefined : join(root, expiryHourOf(expiry), id);
    },

    async moveIn(draftPath, id) {
      const folder = join(root, expiryHourOf(expiryOf(id)!));
      const path = join(folder, id);
      // Making the folder when it is missed is cheaper than asking for it every time, and outlives a sweep.
      const moved = await unlessMissing(rename(draftPath, path).then(() => true));
      if (!moved) {
        await mkdir(folder, { recursive: true });
        await flushFolder(root);
        await rename(draftPath, path);
      }
      await flushFolder(folder).catch(async (error) => {
        await removeFile(path);
        throw error;
      });
    },

    async *ids() {
      for (const hour of await hours()) yield* idsIn(join(root, hour));
    },

    async sweep(now) {
      const current = expiryHourOf(now);
      let removed = 0;
      for (const hour of await hours()) {
        if (hour > current) continue;
        removed += await removeExpired(join(root, hour), now);
        if (hour < current) await rm(join(root, hour), { recursive: true, force: true });
      }
      return removed;
    },
  };
}

/** The names tell what has expired: not one file is opened. */
async function removeExpired(folder: string, now: number): Promise<number> {
  let removed = 0;
  for await (const id of idsIn(folder)) {
    if (expiryOf(id)! <= now && (await removeFile(join(folder, id)))) removed += 1;
  }
  return removed;
}

/** A few at a time, for a folder may hold a million; and another process may sweep it meanwhile. */
async function* idsIn(folder: string): AsyncGenerator<string> {
  try {
    for await (const { name } of await opendir(folder)) {
      if (expiryOf(name) !== undefined) yield name;
    }
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
  }
}

/** Whether there was something to remove. */
export async function removeFile(path: string): Promise<boolean> {
  return (await unlessMissing(unlink(path).then(() => true))) ?? false;
}

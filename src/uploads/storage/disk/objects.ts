import { mkdir, open, readdir, readFile, rename, rmdir, stat, unlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { coalesce } from '../../../domain/serial.ts';
import { orStorageFull, unlessMissing } from '../errors.ts';
import type { Objects } from '../objects.ts';
import type { Staging } from './staging.ts';

export type DiskObjects = ReturnType<typeof openObjects>;

/** Files below `root`, by their paths in it. */
export function openObjects(root: string, staging: Staging) {
  const flushFolder = createFolderFlusher();

  /** Creates the folder of a path. Resolves once a power cut cannot undo it. */
  async function createFolder(folder: string): Promise<void> {
    await mkdir(folder, { recursive: true });
    for (let parent = dirname(folder); parent.length >= root.length; parent = dirname(parent))
      await flushFolder(parent);
  }

  async function moveInto(path: string, staged: string): Promise<void> {
    // Creating the folder when the rename fails is cheaper than checking for it every time, and survives a sweep.
    const isMoved = await unlessMissing(rename(staged, path).then(() => true));
    if (!isMoved) {
      await createFolder(dirname(path));
      await rename(staged, path);
    }
    await flushFolder(dirname(path));
  }

  const moveTo = (path: string, staged: string) => orStorageFull(moveInto(path, staged));

  /** Removes folders that are empty, up to those in `root`. */
  async function removeEmpty(folder: string): Promise<void> {
    if (dirname(folder) === root) return;
    const isGone = await rmdir(folder).then(
      () => true,
      () => false,
    );
    if (isGone) await removeEmpty(dirname(folder));
  }

  async function* list(prefix: string): AsyncGenerator<string, void> {
    const folder = prefix.slice(0, prefix.lastIndexOf('/') + 1);
    const entries = await unlessMissing(readdir(join(root, folder), { withFileTypes: true }));
    if (!entries) await stat(root);
    for (const entry of entries ?? []) {
      const key = folder + entry.name;
      if (!key.startsWith(prefix)) continue;
      if (entry.isDirectory()) yield* list(`${key}/`);
      else yield key;
    }
  }

  return {
    /** Flushes a folder that may be gone. */
    flush: (folder: string) => unlessMissing(flushFolder(folder)),
    /** Moves a file to a path, over another one there. Resolves once a power cut cannot undo it. */
    moveTo,
    removeEmpty,

    async get(key) {
      const content = await unlessMissing(readFile(join(root, key)));
      // A storage that is not there has lost nothing.
      if (!content) await stat(root);
      return content;
    },

    async put(key, content) {
      const staged = staging.nextPath();
      try {
        await orStorageFull(writeFile(staged, content, { flush: true }));
        await moveTo(join(root, key), staged);
      } catch (error) {
        await removeFile(staged);
        throw error;
      }
    },

    async remove(keys) {
      const paths = keys.map((key) => join(root, key));
      for (const path of paths) await removeFile(path);
      for (const folder of new Set(paths.map(dirname))) {
        await unlessMissing(flushFolder(folder));
        await removeEmpty(folder);
      }
    },

    list,
  } satisfies Objects & Record<string, unknown>;
}

/** Resolves with whether there was a file to remove. */
export async function removeFile(path: string): Promise<boolean> {
  return (await unlessMissing(unlink(path).then(() => true))) ?? false;
}

/**
 * Returns a function that makes renames into a folder durable. A folder is flushed once at a time. Requests that come
 * during a flush share the next one, because the current one may not cover them.
 */
function createFolderFlusher(): (folder: string) => Promise<void> {
  const flushes = new Map<string, () => Promise<void>>();

  return (folder) => {
    const flush = flushes.get(folder) ?? coalesce(() => flushFolder(folder));
    flushes.set(folder, flush);
    return flush().finally(() => flushes.delete(folder));
  };
}

export async function flushFolder(folder: string): Promise<void> {
  await using handle = await open(folder);
  await handle.sync();
}

import { link, mkdir, open, readdir, readFile, rename, rmdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { coalesce } from '../../../domain/serial.ts';
import { isFull, orStorageFull, unlessMissing } from '../errors.ts';
import { attempt, type Failures } from '../failures.ts';
import { type Objects, VERSION } from '../objects.ts';
import { flushFolder, ignoring, removeFile } from './files.ts';
import type { DiskStaging } from './staging.ts';

/** Files below a folder, by their paths in it. */
export interface DiskObjects extends Objects {
  /** Makes durable which names a folder has, which may be gone. */
  flush(folder: string): Promise<unknown>;
  /** Moves a file to a path, over another one there. Resolves once a power cut cannot undo it. */
  moveTo(path: string, staged: string): Promise<void>;
  /** Removes folders that are empty, up to those in the root. */
  removeEmpty(folder: string): Promise<void>;
}

export function openObjects(root: string, staging: DiskStaging): DiskObjects {
  const flush = createFolderFlusher();

  /** Creates the folder of a path. Resolves once a power cut cannot undo it. */
  async function createFolder(folder: string): Promise<void> {
    await mkdir(folder, { recursive: true });
    for (let parent = dirname(folder); parent.length >= root.length; parent = dirname(parent))
      await flush(parent);
  }

  async function moveTo(path: string, staged: string): Promise<void> {
    // Creating the folder when the rename fails is cheaper than checking for it every time, and survives a sweep.
    const isMoved = await unlessMissing(rename(staged, path).then(() => true));
    if (!isMoved) {
      await createFolder(dirname(path));
      await rename(staged, path);
    }
    await flush(dirname(path));
  }

  async function replace(path: string, content: Buffer): Promise<void> {
    const staged = await staging.nextPath();
    try {
      await writeFile(staged, content, { flush: true });
      await moveTo(path, staged);
    } catch (error) {
      await removeFile(staged);
      throw error;
    }
  }

  /**
   * The commands of an operator work on a disk without any space. New content is written over the old object in two steps,
   * between which nobody can read it. An empty object needs no block: it is another name of the version or, if there is no
   * version, a file that needs only an inode.
   */
  async function putInPlace(path: string, content: Buffer): Promise<void> {
    if (content.length === 0) {
      await mkdir(dirname(path), { recursive: true });
      await link(join(dirname(path), VERSION), path)
        .catch(() => writeFile(path, '', { flag: 'wx' }))
        .catch(ignoring('EEXIST'));
      return;
    }
    await using file = await open(path, 'r+');
    const { size } = await file.stat();
    await file.truncate(content.length);
    await file.write(content, 0, content.length, 0).catch(async (error: unknown) => {
      // The old object was shorter, and the disk has no block for the rest.
      await file.truncate(Math.min(size, content.length));
      throw error;
    });
    await file.sync();
  }

  async function removeEmpty(folder: string): Promise<void> {
    if (dirname(folder) === root) return;
    const isRemoved = await rmdir(folder)
      .then(() => true)
      .catch(() => false);
    if (isRemoved) await removeEmpty(dirname(folder));
  }

  async function* list(prefix: string, failures?: Failures): AsyncGenerator<string, void> {
    const folder = prefix.slice(0, prefix.lastIndexOf('/') + 1);
    const read = unlessMissing(readdir(join(root, folder), { withFileTypes: true }));
    const entries = await (failures ? attempt(failures, folder, () => read) : read);
    if (!entries) await stat(root);
    for (const entry of entries ?? []) {
      const key = folder + entry.name;
      if (!key.startsWith(prefix)) continue;
      if (entry.isDirectory()) yield* list(`${key}/`, failures);
      else yield key;
    }
  }

  return {
    flush: (folder) => unlessMissing(flush(folder)),
    moveTo: (path, staged) => orStorageFull(moveTo(path, staged)),
    removeEmpty,

    async get(key) {
      const content = await unlessMissing(readFile(join(root, key)));
      // A storage that is not there has lost nothing.
      if (!content) await stat(root);
      return content;
    },

    async put(key, content) {
      const path = join(root, key);
      await orStorageFull(replace(path, content)).catch(async (error: unknown) => {
        if (!isFull(error)) throw error;
        await putInPlace(path, content).catch(() => Promise.reject(error));
      });
    },

    async remove(keys) {
      const paths = keys.map((key) => join(root, key));
      for (const path of paths) await removeFile(path);
      for (const folder of new Set(paths.map(dirname))) {
        await unlessMissing(flush(folder));
        await removeEmpty(folder);
      }
    },

    list,
  };
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

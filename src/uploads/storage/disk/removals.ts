import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parseUploadIds, type UploadId } from '../../../domain/upload.ts';
import { unlessMissing } from '../errors.ts';
import { flushFolder } from './folder-flusher.ts';

export type Removals = Awaited<ReturnType<typeof openRemovals>>;

/**
 * Removes files and folders in two steps that can be repeated: the first moves them to the folder `root`, the second removes
 * them there. A sweep finishes what was interrupted.
 */
export async function openRemovals(root: string) {
  await mkdir(root, { recursive: true });
  const pathOf = (name: UploadId) => join(root, name);

  async function finish(name: UploadId): Promise<void> {
    await rm(pathOf(name), { recursive: true, force: true });
  }

  /** Creates the folder again if it has been removed. */
  async function moveAgain(move: () => Promise<boolean | undefined>): Promise<boolean | undefined> {
    await mkdir(root, { recursive: true });
    return move();
  }

  async function isUnderWay(name: UploadId): Promise<boolean> {
    return (await unlessMissing(stat(pathOf(name)))) !== undefined;
  }

  return {
    pathOf,
    isUnderWay,
    /** The names of the files that are being removed. */
    async files(): Promise<UploadId[]> {
      const entries = await readdir(root, { withFileTypes: true });
      return parseUploadIds(entries.filter((entry) => entry.isFile()).map(({ name }) => name));
    },

    /**
     * Removes what is at `path`, or goes on with what was begun under this name. Resolves, once a power cut cannot undo it, with
     * whether there was anything.
     */
    async remove(name: UploadId, path: string): Promise<boolean> {
      const move = () => unlessMissing(rename(path, pathOf(name)).then(() => true));
      const isMoved = (await move()) ?? ((await unlessMissing(stat(path))) && (await moveAgain(move)));
      if (!isMoved && !(await isUnderWay(name))) return false;
      // A sweep removes the folder of an hour that is over.
      await unlessMissing(flushFolder(dirname(path)));
      await finish(name);
      return true;
    },

    /** Resolves with the names of what was left. */
    async sweep(): Promise<UploadId[]> {
      const names = parseUploadIds(await readdir(root));
      for (const name of names) await finish(name);
      return names;
    },
  };
}

import { mkdir, open, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { hasCode, unlessMissing } from '../errors.ts';

/** Resolves with whether there was a file to remove. */
export async function removeFile(path: string): Promise<boolean> {
  return (await unlessMissing(unlink(path).then(() => true))) ?? false;
}

/** Makes durable which names a folder has. */
export async function flushFolder(folder: string): Promise<void> {
  await using handle = await open(folder);
  await handle.sync();
}

/**
 * Creates a folder and its parents. Resolves once a power cut cannot undo it. The recursive `mkdir` of Node never returns
 * where a parent exists and refuses with ENOENT.
 */
export async function createFolder(folder: string, mode?: number): Promise<void> {
  // Only a folder that may be read can be flushed.
  const flush = () => flushFolder(dirname(folder)).catch(ignoring('EACCES'));
  const create = () => mkdir(folder, mode).then(flush, ignoring('EEXIST'));
  await create().catch(async (error: unknown) => {
    const parent = dirname(folder);
    if (!hasCode(error, 'ENOENT') || parent === folder) throw error;
    await createFolder(parent);
    await create();
  });
}

export function ignoring(code: string): (error: unknown) => void {
  return (error) => {
    if (!hasCode(error, code)) throw error;
  };
}

import { access, constants, readdir } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { AppError } from '../../../domain/errors.ts';
import { hasCode, unlessMissing } from '../errors.ts';
import { COLLECTIONS, isExpiryHour, RECORDS, RESUMABLE } from '../objects.ts';

/** There may be thousands of folders, so only every tenth check tests all of them, beginning with the first. */
const CHECKS_OF_KNOWN = 10;

/**
 * Returns a function that throws AppError `storage-down`, which names the folder, if this process cannot write to one of the
 * folders below `root`, for example because root has restored it from a backup. Every check tests the folders that failed last.
 */
export function createFolderCheck(root: string): () => Promise<void> {
  let checks = 0;
  let found: string[] = [];

  return async () => {
    const folders = checks % CHECKS_OF_KNOWN === 0 ? await foldersIn(root) : found;
    checks += 1;
    found = [];
    let problem: unknown;
    for (const folder of folders) {
      const error = await whyNot(folder);
      if (error === undefined) continue;
      found.push(folder);
      problem ??= unwritable(root, folder, error);
    }
    if (problem) throw problem;
  };
}

/** Turns an error of the disk about missing permission into one that names the folder; returns other errors unchanged. */
export function nameFolder(root: string, error: unknown): unknown {
  // Errors of the disk have the path.
  const { path } = error as NodeJS.ErrnoException;
  return hasCode(error, 'EACCES', 'EPERM', 'EROFS') && path !== undefined
    ? unwritable(root, dirname(path), error)
    : error;
}

async function whyNot(folder: string): Promise<unknown> {
  try {
    await unlessMissing(access(folder, constants.W_OK | constants.X_OK));
    return undefined;
  } catch (error) {
    return error;
  }
}

/** The folders in which this process creates files and folders. */
async function foldersIn(root: string): Promise<string[]> {
  const all = [join(root, 'staging/'), join(root, RECORDS)];
  for (const folder of [root, join(root, RESUMABLE), join(root, COLLECTIONS)])
    all.push(folder, ...(await hoursIn(folder)));
  return all.map((folder) => join(folder));
}

async function hoursIn(folder: string): Promise<string[]> {
  // A folder that is missing or cannot be read lists no hours.
  const names = (await readdir(folder).catch(() => [])).filter(isExpiryHour);
  return names.map((name) => join(folder, name));
}

function unwritable(root: string, folder: string, cause: unknown): AppError {
  const name = relative(root, folder);
  const which = name === '' || name.startsWith('..') ? 'the folder of the uploads' : `${name} of the uploads`;
  const message = `${which} cannot be written by the user of this process; make that user its owner`;
  return new AppError('storage-down', message, { cause });
}

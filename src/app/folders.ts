import { existsSync } from 'node:fs';
import { access, constants } from 'node:fs/promises';
import path from 'node:path';
import { describeError } from '../domain/errors.ts';
import { createFolder } from '../uploads/storage/disk/files.ts';
import { hasCode } from '../uploads/storage/errors.ts';
import type { Config } from './config.ts';

/** A folder that the machine does not allow. The message names the variable to change. */
export class FolderError extends Error {}

type Places = Pick<Config, 'dataDir' | 'cacheUrl'>;

/** The folder of the store, or of the other data where the store is no file. */
export function storeFolder({ dataDir, cacheUrl }: Places): string {
  const file = pathOf(cacheUrl, 'sqlite:');
  return file ? path.dirname(file) : dataDir;
}

/** Creates the folder of the store, where it is a file. Throws FolderError when it cannot be created or written to. */
export async function prepareStoreFolder(places: Places): Promise<void> {
  const { dataDir, cacheUrl } = places;
  if (!cacheUrl.startsWith('sqlite:')) return;
  const folder = storeFolder(places);
  try {
    await createFolder(folder);
    await access(folder, constants.W_OK | constants.X_OK);
  } catch (error) {
    // What is there can still be read on a disk that is read-only for now.
    if (hasCode(error, 'EROFS') && existsSync(folder)) return;
    const variable = path.relative(dataDir, folder).startsWith('..') ? 'CACHE_URL' : 'DATA_DIR';
    const owner = hasCode(error, 'EACCES', 'EPERM') ? 'run this as its owner, or ' : '';
    const advice = `${owner}set ${variable} to a folder that this user may write to`;
    throw new FolderError(`${folder} cannot be used (${describeError(error)}); ${advice}`);
  }
}

/** The folder of the uploads; undefined where they are not files. */
export function uploadFolder({ upload }: Pick<Config, 'upload'>): string | undefined {
  return pathOf(upload.storageUrl, 'file:');
}

function pathOf(url: string, scheme: string): string | undefined {
  return url.startsWith(scheme) ? path.resolve(url.slice(scheme.length)) : undefined;
}

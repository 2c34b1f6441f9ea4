import { access, constants, mkdtemp, rm, stat, statfs, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describeError } from '../domain/errors.ts';
import { formatSize } from '../domain/units.ts';
import { type Finding, ok, problem, warning } from './check.ts';

/** A disk with less counts as full; the store itself takes less than 1 MB. */
const MIN_FREE_BYTES = 64 * 1024 ** 2;
const LOW_FREE_BYTES = 512 * 1024 ** 2;

/** Whether DATA_DIR can be written to. A missing folder is not created here. */
export async function* checkDataFolder(dataDir: string): AsyncGenerator<Finding> {
  const existing = await nearestExisting(dataDir);
  const isMissing = existing !== dataDir;
  const refusal = (await isFolder(existing)) ? await tryToWrite(existing, isMissing) : 'it is not a folder';
  if (refusal) {
    const what = isMissing ? `${dataDir} cannot be created in ${existing}` : `${dataDir} cannot be used`;
    yield problem(`${what}: ${refusal}; make it a folder that this user may write to, or set DATA_DIR`);
    return;
  }
  yield ok(isMissing ? `${dataDir} does not exist yet, and can be created` : `${dataDir} can be written to`);
  yield await checkFreeSpace(existing);
}

/** The path itself, or the nearest of its parents that exists. */
async function nearestExisting(folder: string): Promise<string> {
  const parent = path.dirname(folder);
  const exists = await stat(folder).then(
    () => true,
    () => false,
  );
  return exists || parent === folder ? folder : nearestExisting(parent);
}

async function isFolder(place: string): Promise<boolean> {
  return (await stat(place)).isDirectory();
}

/** Tries to write a file, or with `checkOnly` checks the permission. Returns why that fails, or undefined. */
async function tryToWrite(folder: string, checkOnly: boolean): Promise<string | undefined> {
  try {
    if (checkOnly) {
      await access(folder, constants.W_OK | constants.X_OK);
      return undefined;
    }
    const probe = await mkdtemp(path.join(folder, 'doctor-'));
    await writeFile(path.join(probe, 'probe'), 'probe', { flush: true }).finally(() =>
      rm(probe, { recursive: true, force: true }),
    );
    return undefined;
  } catch (error) {
    return describeError(error);
  }
}

async function checkFreeSpace(folder: string): Promise<Finding> {
  const { bavail, bsize } = await statfs(folder);
  const free = `${formatSize(bavail * bsize)} free`;
  if (bavail * bsize < MIN_FREE_BYTES) return problem(`only ${free}: make room, or set DATA_DIR`);
  if (bavail * bsize < LOW_FREE_BYTES) return warning(`only ${free}: make room soon, or set DATA_DIR`);
  return ok(free);
}

import { access, constants, mkdtemp, rm, stat, statfs, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describeError } from '../domain/errors.ts';
import { formatSize } from '../domain/units.ts';
import { type Check, type Finding, ok, problem, warning } from './check.ts';

/** A snapshot and its log take less than one; with less than this a disk is as good as full. */
const MIN_FREE_BYTES = 64 * 1024 ** 2;
const ENOUGH_FREE_BYTES = 512 * 1024 ** 2;

/** The folder that must survive a restart. One that is not there yet is not made here. */
export function checkDataFolder(dataDir: string): Check {
  return {
    name: 'Data folder',
    async *find() {
      const existing = await findExisting(dataDir);
      const isMissing = existing !== dataDir;
      const refusal = (await isFolder(existing))
        ? await tryToWrite(existing, isMissing)
        : 'it is not a folder';
      if (refusal) {
        const what = isMissing ? `${dataDir} cannot be made in ${existing}` : `${dataDir} cannot be used`;
        yield problem(`${what}: ${refusal}; make it a folder that this user may write to, or set DATA_DIR`);
        return;
      }
      yield ok(isMissing ? `${dataDir} does not exist yet, and can be made` : `${dataDir} can be written to`);
      yield await judgeSpace(existing);
    },
  };
}

/** The path itself, or the nearest of its parents that exists. */
async function findExisting(folder: string): Promise<string> {
  const parent = path.dirname(folder);
  const exists = await stat(folder).then(
    () => true,
    () => false,
  );
  return exists || parent === folder ? folder : findExisting(parent);
}

async function isFolder(place: string): Promise<boolean> {
  return (await stat(place)).isDirectory();
}

/** Writes for a moment where the service writes; elsewhere asks whether one could. Why not, or undefined. */
async function tryToWrite(folder: string, onlyAsk: boolean): Promise<string | undefined> {
  try {
    if (onlyAsk) {
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

async function judgeSpace(folder: string): Promise<Finding> {
  const { bavail, bsize } = await statfs(folder);
  const free = `${formatSize(bavail * bsize)} free`;
  if (bavail * bsize < MIN_FREE_BYTES) return problem(`only ${free}: make room, or set DATA_DIR`);
  if (bavail * bsize < ENOUGH_FREE_BYTES) return warning(`only ${free}: make room soon, or set DATA_DIR`);
  return ok(free);
}

import { mkdtemp, rm, statfs, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describeError } from '../domain/errors.ts';
import { formatSize } from '../domain/units.ts';
import { createFolder } from '../uploads/storage/disk/files.ts';
import type { Check } from './check.ts';

/** A disk with less counts as full; the store itself takes less than 1 MB. */
const MIN_FREE_BYTES = 64 * 1024 ** 2;
const LOW_FREE_BYTES = 512 * 1024 ** 2;

/** Whether DATA_DIR can be written to, and has space. A missing folder is created, as by a start. */
export const checkDataFolder: Check = async ({ dataDir }, tell) => {
  try {
    await createFolder(dataDir);
    await writeProbe(dataDir);
  } catch (error) {
    const advice = 'make it a folder that this user may write to, or set DATA_DIR';
    return tell('problem', `${dataDir} cannot be used: ${describeError(error)}; ${advice}`);
  }
  tell('ok', `${dataDir} can be written to`);
  const { bavail, bsize } = await statfs(dataDir);
  const free = `${formatSize(bavail * bsize)} free`;
  if (bavail * bsize < MIN_FREE_BYTES) tell('problem', `only ${free}: make room, or set DATA_DIR`);
  else if (bavail * bsize < LOW_FREE_BYTES) tell('warning', `only ${free}: make room soon, or set DATA_DIR`);
  else tell('ok', free);
};

async function writeProbe(folder: string): Promise<void> {
  const probe = await mkdtemp(path.join(folder, 'doctor-'));
  await writeFile(path.join(probe, 'probe'), 'probe', { flush: true }).finally(() =>
    rm(probe, { recursive: true, force: true }),
  );
}

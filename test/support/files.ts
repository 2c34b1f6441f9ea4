import { readdir, readlink } from 'node:fs/promises';
import path from 'node:path';

/** The name of the lock in the folder of a process. */
const LOCK = 'lock';

/** The paths of all files below a folder, without folders and the locks of processes. */
export async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => !entry.isDirectory() && entry.name !== LOCK);
  return files.map((one) => path.join(one.parentPath, one.name));
}

/** The files below a folder that this process has open, also removed ones, without its lock. */
export async function heldIn(folder: string): Promise<string[]> {
  const descriptors = await readdir('/proc/self/fd');
  const targets = descriptors.map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => ''));
  return (await Promise.all(targets)).filter(
    (target) => target.startsWith(folder) && path.basename(target) !== LOCK,
  );
}

import { readdir, readlink } from 'node:fs/promises';
import path from 'node:path';

/** The lock in the folder of a process, and the record that every storage on a disk has. */
const LOCK = 'lock';
const OWN = [LOCK, 'version'];

/** The paths of all files below a folder, without folders and what a storage has by itself. */
export async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => !entry.isDirectory() && !OWN.includes(entry.name));
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

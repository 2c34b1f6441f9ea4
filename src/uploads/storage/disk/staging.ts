import { randomUUID } from 'node:crypto';
import { link, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { single } from '../../../domain/serial.ts';
import { takeLock } from '../../../sqlite/take-lock.ts';
import { uploadLocked } from '../../resumable/resumable-storage.ts';
import type { Swept } from '../../storage.ts';
import { hasCode, unlessMissing } from '../errors.ts';
import { attempt, type Failures } from '../failures.ts';
import { createFolder, removeFile } from './files.ts';

/** The file in the folder of a process whose lock the process holds as long as it lives. */
const LOCK = 'lock';
export const STAGING = 'staging/';
/** How long after a change a folder is left alone: its process may not have its lock yet, or an upload be on its way. */
export const MIN_AGE_MS = 20_000;

/**
 * Staged uploads on a disk. Each process has a folder of its own, which it creates when it first needs it, and which a crash
 * leaves behind.
 */
export interface DiskStaging {
  /** Creates the folder of this process if there is none, at once, or none any more. */
  prepare(): Promise<void>;
  /** A path that no other staged upload has. */
  nextPath(): Promise<string>;
  /**
   * Takes the lock `path`, which ends with the process, and resolves with the function that releases it; with undefined when
   * there is no folder for it. Throws AppError `locked` while this or another process holds it. It is a link to the lock of the
   * process, so it occupies nothing but a name.
   */
  lock(path: string): Promise<(() => Promise<unknown>) | undefined>;
  /** Whether a living process holds the lock `path`. */
  isLocked(path: string): Promise<boolean>;
  /** Removes the folders of dead processes. `now`: ms since 1970. */
  sweep(now: number, swept: Swept, failures: Failures): Promise<void>;
  close(): Promise<void>;
}

export function createStaging(root: string): DiskStaging {
  const own = join(root, STAGING, `${process.pid}-${randomUUID()}`);
  /** One for each time that the folder was created: somebody may have removed it. */
  const unlock: (() => void)[] = [];
  let uploads = 0;

  const occupy = single(async () => {
    await createFolder(root, 0o700);
    await createFolder(own);
    const release = takeLock(join(own, LOCK), 0);
    if (!release) throw new Error(`the lock of ${own} is held already`);
    unlock.push(release);
  });

  const requireOwn = async () => unlock.length > 0 || occupy();

  /** Resolves with whether the process that holds the lock `path` has died, after it has removed the lock. */
  async function removeDead(path: string): Promise<boolean> {
    const before = await unlessMissing(stat(path));
    if (!before) return true;
    const release = takeLock(path, 0);
    if (!release) return false;
    try {
      // Another process may have replaced it, before this one had the lock of what it was.
      const isSame = (await unlessMissing(stat(path)))?.ino === before.ino;
      return isSame && (await removeFile(path));
    } finally {
      release();
    }
  }

  async function lock(path: string): Promise<(() => Promise<unknown>) | undefined> {
    await requireOwn();
    try {
      await link(join(own, LOCK), path);
      return () => removeFile(path);
    } catch (error) {
      if (hasCode(error, 'ENOENT')) return undefined;
      if (!hasCode(error, 'EEXIST')) throw error;
    }
    if (await removeDead(path)) return lock(path);
    throw uploadLocked();
  }

  /** Removes the folder of a dead process with the uploads that are staged there. */
  async function removeFolder(folder: string, now: number, swept: Swept): Promise<void> {
    const stats = await unlessMissing(stat(folder));
    const isOld = stats && now - stats.mtimeMs >= MIN_AGE_MS;
    if (!isOld || !(await removeDead(join(folder, LOCK)))) return;
    const names = (await unlessMissing(readdir(folder))) ?? [];
    await rm(folder, { recursive: true, force: true });
    swept.stagedUploads += names.length;
  }

  return {
    async prepare() {
      if (unlock.length === 0 || !(await unlessMissing(stat(own)))) await occupy();
    },

    async nextPath() {
      await requireOwn();
      uploads += 1;
      return join(own, String(uploads));
    },

    lock,

    isLocked: async (path) => !(await removeDead(path)),

    async sweep(now, swept, failures) {
      for (const name of (await unlessMissing(readdir(join(root, STAGING)))) ?? []) {
        const remove = () => removeFolder(join(root, STAGING, name), now, swept);
        if (!own.endsWith(name)) await attempt(failures, STAGING + name, remove);
      }
    },

    async close() {
      // A check that is under way may still write there.
      if (unlock.length > 0) await rm(own, { recursive: true, force: true, maxRetries: 3 });
      for (const release of unlock) release();
    },
  };
}

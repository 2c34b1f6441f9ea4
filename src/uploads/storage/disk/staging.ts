import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { unlessMissing } from '../errors.ts';

/** The file in the folder of a process whose lock the process holds as long as it lives. */
const LOCK = 'lock';
/** How long after a change a folder is left alone: its process may not have its lock yet. */
const MIN_AGE_MS = 20_000;

const SQLITE_BUSY = 5;
const SQLITE_CANTOPEN = 14;

export type Staging = Awaited<ReturnType<typeof openStaging>>;

/** Opens the folder of staged uploads. Each process has a folder of its own in it, which a crash leaves behind. */
export async function openStaging(root: string) {
  const own = join(root, `${process.pid}-${randomUUID()}`);
  let unlock = await occupy();
  let uploads = 0;

  async function occupy(): Promise<() => void> {
    await mkdir(own, { recursive: true });
    const taken = takeLock(join(own, LOCK));
    if (typeof taken !== 'function') throw new Error(`the lock of ${own} is ${taken}`);
    return taken;
  }

  /** Creates the folder of this process again if somebody has removed it. */
  async function restore(): Promise<void> {
    if (await unlessMissing(stat(own))) return;
    unlock();
    unlock = await occupy();
  }

  /** Resolves with the number of staged uploads in the folder of a dead process, which it removes. */
  async function removeIfDead(folder: string, now: number): Promise<number> {
    const stats = await unlessMissing(stat(folder));
    if (!stats || now - stats.mtimeMs < MIN_AGE_MS) return 0;
    const release = takeLock(join(folder, LOCK));
    if (typeof release !== 'function') return 0;
    const names = (await unlessMissing(readdir(folder))) ?? [];
    await rm(folder, { recursive: true, force: true });
    release();
    return names.filter((name) => name !== LOCK).length;
  }

  return {
    /** A path that no other staged upload has. */
    nextPath(): string {
      uploads += 1;
      return join(own, String(uploads));
    },

    restore,

    /** Removes the folders of dead processes. Resolves with the number of staged uploads in them. */
    async sweep(now: number): Promise<number> {
      const folders = (await readdir(root, { withFileTypes: true }))
        .filter((entry) => entry.isDirectory())
        .map(({ name }) => join(root, name))
        .filter((folder) => folder !== own);
      let removed = 0;
      for (const folder of folders) removed += await removeIfDead(folder, now);
      return removed;
    },

    async close(): Promise<void> {
      // A check that is under way may still write there.
      await rm(own, { recursive: true, force: true, maxRetries: 3 });
      unlock();
    },
  };
}

/**
 * Takes the lock of a file, which it creates, and returns the function that releases it; or `locked` while this or another
 * process holds it, and `missing` when there is no folder of the file. The lock is an open transaction of SQLite, which writes
 * nothing: the operating system releases it when the process ends.
 */
export function takeLock(path: string): (() => void) | 'locked' | 'missing' {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path, { timeout: 0 });
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    return () => database?.close();
  } catch (error) {
    database?.close();
    const code = error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : 0;
    if (code === SQLITE_CANTOPEN) return 'missing';
    if (code === SQLITE_BUSY) return 'locked';
    throw error;
  }
}

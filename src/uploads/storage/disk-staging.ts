import { mkdir, mkdtemp, readdir, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { unlessMissing } from './disk-errors.ts';

/** A process shows that it lives by touching its folder this often … */
const HEARTBEAT_MS = 5_000;
/** … and is taken for dead when it has not for this long. */
const DEAD_AFTER_MS = 20_000;

/** Where drafts lie: a folder for each process, so that one can tell its own from those a crash left behind. */
export interface Staging {
  /** A path no other draft has. */
  nextPath(): string;
  /** Removes what dead processes left; resolves with how many drafts that was. */
  sweep(now: number): Promise<number>;
  close(): Promise<void>;
}

export async function openStaging(root: string, clock: () => number): Promise<Staging> {
  await mkdir(root, { recursive: true });
  const own = await mkdtemp(join(root, `${process.pid}-`));
  let drafts = 0;

  /** Made anew when it is gone: a process that was suspended may have been taken for dead. */
  async function beat(): Promise<void> {
    await mkdir(own, { recursive: true });
    const seconds = clock() / 1000;
    await utimes(own, seconds, seconds);
  }
  await beat();
  // A disk that fails here fails the next draft too, and that one has somebody to tell.
  const heartbeat = setInterval(() => beat().catch(() => {}), HEARTBEAT_MS).unref();

  return {
    nextPath() {
      drafts += 1;
      return join(own, String(drafts));
    },

    async sweep(now) {
      let removed = 0;
      for (const entry of await readdir(root, { withFileTypes: true })) {
        const folder = join(root, entry.name);
        if (!entry.isDirectory() || folder === own || !(await isDead(folder, now))) continue;
        removed += (await unlessMissing(readdir(folder)))?.length ?? 0;
        await rm(folder, { recursive: true, force: true });
      }
      return removed;
    },

    async close() {
      clearInterval(heartbeat);
      await rm(own, { recursive: true, force: true });
    },
  };
}

async function isDead(folder: string, now: number): Promise<boolean> {
  const stats = await unlessMissing(stat(folder));
  return stats !== undefined && now - stats.mtimeMs > DEAD_AFTER_MS;
}

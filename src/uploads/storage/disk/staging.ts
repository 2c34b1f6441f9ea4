import { mkdir, mkdtemp, readdir, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode, unlessMissing } from '../errors.ts';

/** A process touches its folder at this interval. */
const HEARTBEAT_MS = 5_000;
/** A process counts as dead when its folder has not been touched for so long. */
const DEAD_AFTER_MS = 20_000;

export type Staging = Awaited<ReturnType<typeof openStaging>>;

/** Opens the folder of staged uploads. Each process has a folder of its own in it, which a crash leaves behind. */
export async function openStaging(root: string, clock: () => number) {
  await mkdir(root, { recursive: true });
  const own = await mkdtemp(join(root, `${process.pid}-`));
  let uploads = 0;

  async function sendHeartbeat(): Promise<void> {
    await mkdir(own, { recursive: true });
    const seconds = clock() / 1000;
    await utimes(own, seconds, seconds);
  }
  await sendHeartbeat();
  // A disk that fails here also fails the next upload, which reports it.
  const heartbeat = setInterval(() => sendHeartbeat().catch(() => {}), HEARTBEAT_MS).unref();

  async function otherFolders(): Promise<string[]> {
    const entries = await readdir(root, { withFileTypes: true });
    return entries
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => join(root, name))
      .filter((folder) => folder !== own);
  }

  return {
    /** A path that no other staged upload has. */
    nextPath(): string {
      uploads += 1;
      return join(own, String(uploads));
    },

    /** Runs `work`, again if the folder is gone: another process may have taken a suspended one for dead. */
    async withFolder<Result>(work: () => Promise<Result>): Promise<Result> {
      const result = await unlessMissing(work().then((value) => ({ value })));
      if (result) return result.value;
      // A storage that is not there is not created.
      await mkdir(own).catch((error: unknown) => {
        if (!hasCode(error, 'EEXIST')) throw error;
      });
      return work();
    },

    /** Removes the folders of dead processes. Resolves with the number of staged uploads in them. */
    async sweep(now: number): Promise<number> {
      let removed = 0;
      for (const folder of await otherFolders()) {
        if (!(await isDead(folder, now))) continue;
        removed += (await unlessMissing(readdir(folder)))?.length ?? 0;
        await rm(folder, { recursive: true, force: true });
      }
      return removed;
    },

    async close(): Promise<void> {
      clearInterval(heartbeat);
      await rm(own, { recursive: true, force: true });
    },
  };
}

async function isDead(folder: string, now: number): Promise<boolean> {
  const stats = await unlessMissing(stat(folder));
  return stats !== undefined && now - stats.mtimeMs > DEAD_AFTER_MS;
}

import { randomUUID } from 'node:crypto';
import { link, readFile, stat, unlink, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { uploadLocked } from '../../../resumable-storage.ts';
import { hasCode, unlessMissing } from '../../errors.ts';

/** A holder renews its lock at most this often, as long as bytes arrive. */
const RENEW_MS = 1_000;
/** A lock that has not been renewed for so long may be taken over: its process is dead, or its sender silent. */
const STALE_AFTER_MS = 6_000;

/** The right to write to a resumable upload, held by one process at a time. */
export interface FileLock {
  /** Has to be called before each write. Throws AppError `locked` when another process has taken over. */
  renew(): Promise<void>;
  release(): Promise<void>;
}

/** Creates the lock file. Throws AppError `locked` while another process holds it. `clock` returns ms since 1970. */
export async function takeLock(path: string, clock: () => number): Promise<FileLock> {
  const own = `${hostname()} ${process.pid} ${randomUUID()}`;
  let renewedAt = clock();
  if (!(await tryCreate(path, own, renewedAt)) && !(await takeOver(path, own, renewedAt)))
    throw uploadLocked();

  return {
    async renew() {
      const now = clock();
      if (now - renewedAt >= 0 && now - renewedAt < RENEW_MS) return;
      if ((await readLock(path)) !== own) throw uploadLocked();
      await touch(path, now);
      renewedAt = now;
    },
    async release() {
      if ((await readLock(path)) === own) await unlessMissing(unlink(path));
    },
  };
}

/** Creates a file with its content and its time in one step, so that no other process takes it for an old one. */
async function tryCreate(path: string, content: string, now: number): Promise<boolean> {
  const prepared = `${path}.${randomUUID()}`;
  await writeFile(prepared, content);
  try {
    await touch(prepared, now);
    await link(prepared, path);
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  } finally {
    await unlessMissing(unlink(prepared));
  }
}

async function touch(path: string, now: number): Promise<void> {
  const seconds = now / 1_000;
  await unlessMissing(utimes(path, seconds, seconds));
}

async function readLock(path: string): Promise<string | undefined> {
  return unlessMissing(readFile(path, 'utf8'));
}

/** A lock is stale when it has not been renewed for long, or when its process ran on this machine and has ended. */
async function isStale(path: string, now: number): Promise<boolean> {
  const stats = await unlessMissing(stat(path));
  if (!stats || Math.abs(now - stats.mtimeMs) > STALE_AFTER_MS) return true;
  const [host, pid] = ((await readLock(path)) ?? '').split(' ');
  return host === hostname() && isGone(Number(pid));
}

function isGone(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return hasCode(error, 'ESRCH');
  }
}

/**
 * Replaces a stale lock. Returns false when it is not stale, or another process is replacing it. A second file, the claim,
 * lets one process at a time do so; otherwise one could remove the lock that another has just created. The name of the
 * claim changes every `STALE_AFTER_MS`, so a process that dies here does not block the others for longer.
 */
async function takeOver(path: string, content: string, now: number): Promise<boolean> {
  if (!(await isStale(path, now))) return false;
  const claim = `${path}.${Math.floor(now / STALE_AFTER_MS)}`;
  if (!(await tryCreate(claim, content, now))) return false;
  try {
    if (!(await isStale(path, now))) return false;
    await unlessMissing(unlink(path));
    return await tryCreate(path, content, now);
  } finally {
    await unlessMissing(unlink(claim));
  }
}

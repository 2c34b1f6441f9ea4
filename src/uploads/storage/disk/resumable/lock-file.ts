import { randomUUID } from 'node:crypto';
import { link, readFile, rename, stat, unlink, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { AppError } from '../../../../domain/errors.ts';
import { hasCode, unlessMissing } from '../../errors.ts';

/** A holder renews its lock at most this often, as long as bytes arrive. */
const RENEW_MS = 1_000;
/** A lock that has not been renewed for so long may be taken over: its process is dead, or its sender silent. */
const STALE_AFTER_MS = 6_000;

/** The right to write to a resumable upload, held by one process at a time. */
export interface FileLock {
  /** To be called before each write. Throws AppError `locked` when another process has taken over. */
  renew(): Promise<void>;
  release(): Promise<void>;
}

/** Creates the lock file. Throws AppError `locked` while another process holds it. `clock` returns ms since 1970. */
export async function takeLock(path: string, clock: () => number): Promise<FileLock> {
  const own = `${hostname()} ${process.pid} ${randomUUID()}`;
  let renewedAt = clock();
  if (!(await tryCreate(path, own, renewedAt))) {
    if (!(await isStale(path, renewedAt))) throw locked();
    await removeLock(path);
    if (!(await tryCreate(path, own, renewedAt))) throw locked();
  }

  return {
    async renew() {
      const now = clock();
      if (now - renewedAt >= 0 && now - renewedAt < RENEW_MS) return;
      if ((await readLock(path)) !== own) throw locked();
      await touch(path, now);
      renewedAt = now;
    },
    async release() {
      if ((await readLock(path)) === own) await unlessMissing(unlink(path));
    },
  };
}

export function locked(): AppError {
  return new AppError('locked', 'another request is writing to this upload; try again in a few seconds', {
    retryAfterMs: RENEW_MS,
  });
}

/** The file appears with its content and its time: another process must not take it for an old one. */
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

/** A process of this machine that has ended leaves its locks behind at once, any other after a while. */
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

/** The rename lets only one of several processes remove the lock that they all found. */
async function removeLock(path: string): Promise<void> {
  const aside = `${path}.${randomUUID()}`;
  await unlessMissing(rename(path, aside));
  await unlessMissing(unlink(aside));
}

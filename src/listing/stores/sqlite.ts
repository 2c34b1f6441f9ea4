import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { Keyv } from 'keyv';
import type { Release, Store } from '../snapshot-store.ts';
import { KeyvSqlite } from './keyv-sqlite.ts';

/** How soon another process's write is noticed. Asking costs one read of shared memory. */
const WATCH_EVERY_MS = 500;
/** How long a writer waits for another one, blocking: a write takes a few milliseconds. */
const BUSY_MS = 1_000;

/**
 * `sqlite:PATH`, the embedded default: one file with a write-ahead log, whole after a crash at any moment. Any
 * number of processes on one machine share it.
 */
export async function openSqliteStore(url: string): Promise<Store> {
  const file = path.resolve(url.slice('sqlite:'.length));
  await mkdir(path.dirname(file), { recursive: true });
  const database = new DatabaseSync(file, { timeout: BUSY_MS });
  const leases = new DatabaseSync(`${file}-lease`, { timeout: 0 });
  const keyv = new Keyv(new KeyvSqlite(database), { throwOnErrors: true });
  const watches = new Set<NodeJS.Timeout>();

  return {
    keyv,
    lease: async () => takeLease(leases),
    watch(onNotice) {
      const version = database.prepare('PRAGMA data_version');
      let last = readVersion(version);
      const timer = setInterval(() => {
        const now = readVersion(version);
        if (now === last) return;
        last = now;
        onNotice();
      }, WATCH_EVERY_MS);
      watches.add(timer);
      return () => clearInterval(timer);
    },
    shared: true,
    async close() {
      for (const timer of watches) clearInterval(timer);
      database.close();
      leases.close();
    },
  };
}

/**
 * The lease is an open transaction on a file of its own: the operating system ends it with the process, however
 * that ends, so there is no term to wait for and nothing to clean up.
 */
function takeLease(leases: DatabaseSync): Release | undefined {
  if (leases.isTransaction) return undefined;
  try {
    leases.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    if (isBusy(error)) return undefined;
    throw error;
  }
  let isHeld = true;
  return async () => {
    if (isHeld && leases.isOpen) leases.exec('ROLLBACK');
    isHeld = false;
  };
}

/** Changes with every write of another connection's. Undefined while somebody locks the file: also a change. */
function readVersion(version: StatementSync): unknown {
  try {
    return version.get()?.data_version;
  } catch (error) {
    if (isBusy(error)) return undefined;
    throw error;
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === 5;
}

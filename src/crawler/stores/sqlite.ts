import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { takeLock } from '../../sqlite/take-lock.ts';
import { leaseKey, type Store, type StoreOptions } from '../store.ts';
import { pollVersion } from './poll-version.ts';
import { openSqliteFile } from './sqlite-file.ts';
import { openTables } from './sqlite-tables.ts';

/** How often the store is polled for writes, which takes some tenths of a millisecond. */
const POLL_INTERVAL_MS = 500;

/**
 * `sqlite:PATH`, the embedded default: one file with a rollback journal, which no crash can damage. Any number of
 * processes on one machine can share it. With `onDamaged`, a damaged file is set aside; without it, the error is thrown.
 */
export async function openSqliteStore(url: string, { onDamaged }: StoreOptions = {}): Promise<Store> {
  const filePath = path.resolve(url.slice('sqlite:'.length));
  await mkdir(path.dirname(filePath), { recursive: true });
  const file = openSqliteFile(filePath, onDamaged);
  const { holdLease, ...tables } = openTables(file.use);
  const { stop, ...watching } = pollVersion(async () => file.version(), POLL_INTERVAL_MS);
  let isClosed = false;
  return {
    ...tables,
    /** The operating system takes a lock from no process that lives. */
    async lease(name) {
      if (isClosed) throw new Error('the store is closed');
      const unlock = takeLock(`${filePath}-${leaseKey(name)}`, 0);
      return unlock && holdLease(unlock);
    },
    ...watching,
    shared: true,
    async close() {
      isClosed = true;
      stop();
      file.close();
    },
  };
}

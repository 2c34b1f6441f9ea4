import { mkdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { takeLock } from '../../sqlite/take-lock.ts';
import { leaseKey, type Store, type StoreOptions } from '../store.ts';
import { pollVersion } from './poll-version.ts';
import { readFileVersion, useSqliteFile } from './sqlite-file.ts';
import { openTables } from './sqlite-tables.ts';
import type { UseDatabase } from './use-database.ts';

/** How often the store is polled for writes, which takes some hundredths of a millisecond. */
const POLL_INTERVAL_MS = 500;

/**
 * `sqlite:PATH`, the embedded default: one file with a rollback journal, which no crash can damage. Any number of
 * processes on one machine can share it. With `onDamaged`, a damaged file is set aside; without it, the error is thrown.
 */
export async function openSqliteStore(
  url: string,
  { onDamaged, mayBeDown = false, readOnly = false }: StoreOptions = {},
): Promise<Store> {
  const file = path.resolve(url.slice('sqlite:'.length));
  const useFile = useSqliteFile(file, { ...(onDamaged && { onDamaged }), readOnly });
  let isClosed = false;
  const use: UseDatabase = (work) => {
    ensureOpen();
    return useFile(work);
  };
  if (readOnly) await stat(file);
  else if (!mayBeDown) await mkdir(path.dirname(file), { recursive: true });
  if (!mayBeDown) use(() => {});
  const { holdLease, ...tables } = openTables(use);
  const { stop, ...watching } = pollVersion(async () => readFileVersion(file), POLL_INTERVAL_MS);

  function ensureOpen(): void {
    if (isClosed) throw new Error('the store is closed');
  }

  return {
    ...tables,
    /** The operating system takes a lock from no process that lives. */
    async lease(name) {
      ensureOpen();
      const unlock = takeLock(`${file}-${leaseKey(name)}`, 0);
      return unlock && holdLease(unlock);
    },
    ...watching,
    shared: true,
    async close() {
      isClosed = true;
      stop();
    },
  };
}

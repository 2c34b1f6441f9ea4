import { expiryOf, type UploadId } from '../../domain/upload.ts';
import { ALL_FILES, createSums, type Entry, fileKeys, type Ledger, type LedgerOptions } from '../ledger.ts';
import type { Limits } from './drivers.ts';
import { openMemoryWindow } from './memory-window.ts';
import { type RecountedEntries, recount, untilCounted } from './recount.ts';

const MINUTE_MS = 60_000;
/** How long a removed entry is remembered. No request or recount that may still count it takes longer. */
const REMOVED_MS = 3_600_000;

/** Counts in the memory of this process, which finds the files of earlier ones by listing the storage once. */
export async function openMemoryLimits(options: LedgerOptions, retryMs?: number): Promise<Limits> {
  const ledger = createMemoryLedger(options);
  const closing = new AbortController();
  const { signal } = closing;
  const counting = untilCounted(() => recount(ledger, options, signal), options, signal, retryMs);
  return {
    openWindow: (windowMs) => openMemoryWindow({ windowMs, elapsedMs: options.elapsedMs }),
    ledger,
    async close() {
      closing.abort();
      await counting;
    },
  };
}

/** Entries are kept by their minute of expiry, so that expiry reads no other. */
export function createMemoryLedger({
  elapsedMs,
}: Pick<LedgerOptions, 'elapsedMs'>): Ledger & RecountedEntries {
  const sums = createSums();
  const minutes = new Map<number, Map<UploadId, Omit<Entry, 'id'>>>();
  /** When each entry was removed, oldest first. */
  const removed = new Map<UploadId, number>();
  let files = 0;

  const find = (id: UploadId) => minutes.get(minuteOf(id))?.get(id);

  function set({ id, owner, size }: Entry): void {
    drop(id);
    if (removed.has(id)) return;
    const minute = minutes.get(minuteOf(id)) ?? new Map<UploadId, Omit<Entry, 'id'>>();
    minutes.set(minuteOf(id), minute.set(id, { owner, size }));
    files += 1;
    sums.add(fileKeys(owner), size);
  }

  function drop(id: UploadId): void {
    const found = find(id);
    if (!found) return;
    minutes.get(minuteOf(id))?.delete(id);
    files -= 1;
    sums.add(fileKeys(found.owner), -found.size);
  }

  function remove(id: UploadId): void {
    drop(id);
    removed.delete(id);
    removed.set(id, elapsedMs());
  }

  return {
    take: sums.take,
    give: (keys, amount) => sums.add(keys, -amount),
    async keep(entry, taken, replaced) {
      sums.add(fileKeys(entry.owner), -taken);
      if (replaced !== undefined) remove(replaced);
      set(entry);
    },
    remove,
    expire(now) {
      for (const [minute, entries] of minutes) {
        if (minute * MINUTE_MS > now) continue;
        for (const id of entries.keys()) drop(id);
        minutes.delete(minute);
      }
      for (const [id, at] of removed) {
        if (elapsedMs() - at < REMOVED_MS) break;
        removed.delete(id);
      }
    },
    used: () => ({ bytes: sums.of(ALL_FILES), files }),

    async entries() {
      const entries = [...minutes.values()].flatMap((minute) => [...minute]);
      return new Map(entries.map(([id, { size }]) => [id, size]));
    },
    async correct(corrections) {
      for (const { from, size, ...entry } of corrections) {
        if (find(entry.id)?.size !== from) continue;
        if (size === undefined) drop(entry.id);
        else set({ ...entry, size });
      }
    },
  };
}

/** Rounded up: space is never released before the file has expired. */
function minuteOf(id: UploadId): number {
  return Math.ceil(expiryOf(id) / MINUTE_MS);
}

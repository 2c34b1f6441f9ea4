import { expiryOf, type UploadId } from '../../domain/upload-id.ts';
import { openMemoryWindow } from '../../network/memory-window.ts';
import {
  ALL_FILES,
  type CountedItem,
  createSums,
  fileKeys,
  type LedgerOptions,
  type UploadLedger,
  type Usage,
} from '../ledger.ts';
import type { Limits } from './drivers.ts';
import { listStored, untilCounted } from './recount.ts';

/** How long a removed entry is remembered. No request or recount that may still count it takes longer. */
const REMOVED_MS = 3_600_000;

/** Counts in the memory of this process, which finds the files of earlier ones by listing the storage once. */
export async function openMemoryLimits(options: LedgerOptions): Promise<Limits> {
  const ledger = createMemoryLedger(options);
  const closing = new AbortController();
  const { signal } = closing;
  const counting = untilCounted(() => ledger.count(listStored(options, signal)), options, signal);
  return {
    openWindow: (windowMs) => openMemoryWindow({ windowMs, elapsedMs: options.elapsedMs }),
    ledger,
    async close() {
      closing.abort();
      await counting;
    },
  };
}

export function createMemoryLedger({ elapsedMs }: Pick<LedgerOptions, 'elapsedMs'>) {
  const sums = createSums();
  const entries = new Map<UploadId, Omit<CountedItem, 'id'> & { expiresAt: number }>();
  /** When each entry was removed, oldest first. */
  const removed = new Map<UploadId, number>();

  function add({ id, owner, size }: CountedItem): void {
    if (removed.has(id)) return;
    entries.set(id, { owner, size, expiresAt: expiryOf(id) });
    sums.add(fileKeys(owner), size);
  }

  function drop(id: UploadId): void {
    const entry = entries.get(id);
    if (!entry) return;
    entries.delete(id);
    sums.add(fileKeys(entry.owner), -entry.size);
  }

  return {
    take: sums.take,
    stands: () => true,
    async give(keys, amount, _term, counted = []) {
      sums.add(keys, -amount);
      for (const entry of counted) {
        drop(entry.id);
        add(entry);
      }
    },
    remove(id) {
      drop(id);
      removed.delete(id);
      removed.set(id, elapsedMs());
    },
    expire(now, isLeft = () => false) {
      for (const [id, { expiresAt }] of entries) if (expiresAt <= now && !isLeft(id)) drop(id);
      for (const [id, at] of removed) {
        if (elapsedMs() - at < REMOVED_MS) break;
        removed.delete(id);
      }
    },
    used: () => ({ bytes: sums.of(ALL_FILES), files: entries.size }),
    /** Counts what is listed, but for what this process knows better. */
    async count(usages: AsyncIterable<Usage>): Promise<void> {
      for await (const usage of usages) if (!entries.has(usage.id)) add(usage);
    },
  } satisfies UploadLedger & Record<string, unknown>;
}

import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../../domain/errors.ts';
import { isExpired, type UploadId } from '../../domain/upload.ts';
import type { Correction, CountedStorage, LedgerOptions } from '../ledger.ts';

const RETRY_MS = 10_000;
const BATCH = 200;
/** How many entries that are not listed are looked up at once. */
const LOOKUPS = 16;

/** The entries of a ledger, as a recount sees and corrects them. */
export interface RecountedEntries {
  /** The size of each. */
  entries(): Promise<Map<UploadId, number>>;
  correct(corrections: readonly Correction[]): Promise<void>;
}

type RecountOptions = Pick<LedgerOptions, 'storage' | 'now' | 'report'>;

/**
 * Makes the entries of a ledger those of what the storage lists, while files come and go: a correction is dropped when its
 * entry has changed since the recount began, and what was removed meanwhile is not counted again. A listing may lag
 * behind, so an entry that it does not have is looked up. Rejects when the ledger or the storage fails.
 */
export async function recount(
  ledger: RecountedEntries,
  { storage, now }: RecountOptions,
  signal: AbortSignal,
): Promise<void> {
  const known = await ledger.entries();
  let batch: Correction[] = [];
  async function flush(minimum: number): Promise<void> {
    if (batch.length < minimum) return;
    await ledger.correct(batch);
    batch = [];
  }
  for (const usages of [storage.usage(), storage.resumable.usage()]) {
    for await (const { id, owner, size } of usages) {
      signal.throwIfAborted();
      const from = known.get(id);
      known.delete(id);
      if (size !== from && !isExpired(id, now())) batch.push({ id, owner, size, from });
      await flush(BATCH);
    }
  }
  const missing = [...known];
  while (missing.length > 0) {
    signal.throwIfAborted();
    const looked = missing.splice(0, LOOKUPS).map(async ([id, from]) => {
      if (!(await isStored(storage, id))) batch.push({ id, owner: '', size: undefined, from });
    });
    await Promise.all(looked);
    await flush(BATCH);
  }
  await flush(1);
}

async function isStored(storage: CountedStorage, id: UploadId): Promise<boolean> {
  const isFile = await storage.open(id).then(
    (file) => file !== undefined,
    (error: unknown) => {
      if (!(error instanceof AppError)) return true;
      if (error.code === 'storage-down') throw error;
      return false;
    },
  );
  if (isFile) return true;
  const upload = await storage.resumable.find(id);
  return upload !== undefined && upload.publishedAs === undefined;
}

/** Repeats `work` until it succeeds, or `signal` is aborted. An AppError `limiter-down` ends it too. */
export async function untilCounted(
  work: () => Promise<void>,
  { report }: Pick<LedgerOptions, 'report'>,
  signal: AbortSignal,
  retryMs = RETRY_MS,
): Promise<void> {
  while (!signal.aborted) {
    try {
      return await work();
    } catch (error) {
      if (signal.aborted || (error instanceof AppError && error.code === 'limiter-down')) return;
      report({ type: 'store-failed', doing: 'counting what is stored', error });
    }
    await sleep(retryMs, undefined, { signal }).catch(() => {});
  }
}

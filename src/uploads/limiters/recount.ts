import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../../domain/errors.ts';
import { inBatches } from '../../domain/serial.ts';
import type { UploadId } from '../../domain/upload-id.ts';
import { collectionUsage, hasCollection } from '../collections/collection-store.ts';
import type { CountedItem, LedgerOptions, Usage } from '../ledger.ts';
import { attempt, type Failures, isStored, reportFailures } from '../storage/failures.ts';

const RETRY_MS = 10_000;
const BATCH = 200;

/** What a recount changes: the size of an entry, if it is still `from`. Undefined: no entry. */
export interface Correction extends Pick<CountedItem, 'id' | 'owner'> {
  from: number | undefined;
  size: number | undefined;
}

/**
 * Yields the files and uploads that the storage lists, also those that have expired and are not swept yet, until `signal` is
 * aborted. Reports what cannot be read.
 */
export async function* listStored(
  { storage, report }: Pick<LedgerOptions, 'storage' | 'report'>,
  signal: AbortSignal,
): AsyncGenerator<Usage, void> {
  const failures: Failures = new Map();
  const kinds = [
    storage.usage(failures),
    storage.resumable.usage(failures),
    collectionUsage(storage.collections, failures),
  ];
  for (const usages of kinds) {
    for await (const usage of usages) {
      signal.throwIfAborted();
      yield usage;
    }
  }
  reportFailures(report, 'counting', failures);
}

/**
 * Makes entries those of what the storage lists, while files come and go: `correct` drops a correction when its entry has
 * changed since the recount began, and does not count again what was removed meanwhile. A listing may lag behind, so an entry
 * that it does not have is looked up; it stays when it cannot be read. `known`: the size of each entry.
 */
export async function recount(
  known: Map<UploadId, number>,
  correct: (corrections: readonly Correction[]) => Promise<void>,
  options: LedgerOptions,
  signal: AbortSignal,
): Promise<void> {
  const batch: Correction[] = [];
  async function add(correction: Correction): Promise<void> {
    batch.push(correction);
    if (batch.length >= BATCH) await correct(batch.splice(0));
  }
  for await (const { id, owner, size } of listStored(options, signal)) {
    const from = known.get(id);
    known.delete(id);
    if (size !== from) await add({ id, owner, size, from });
  }
  const { storage } = options;
  const isFound = async (id: UploadId) =>
    (await isStored(storage, id)) ||
    (await storage.resumable.find(id)) !== undefined ||
    (await hasCollection(storage.collections, id));
  const failures: Failures = new Map();
  const lookUp = async ([id, from]: [UploadId, number]) => {
    signal.throwIfAborted();
    const isThere = await attempt(failures, id, () => isFound(id));
    return isThere === false ? { id, owner: '', size: undefined, from } : undefined;
  };
  for await (const gone of inBatches([...known], lookUp)) if (gone) await add(gone);
  await correct(batch);
  reportFailures(options.report, 'looking up', failures);
}

/** Repeats `work` until it succeeds, or `signal` is aborted. An AppError `limiter-down` ends it too. */
export async function untilCounted(
  work: () => Promise<void>,
  { report, retryMs = RETRY_MS }: Pick<LedgerOptions, 'report' | 'retryMs'>,
  signal: AbortSignal,
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

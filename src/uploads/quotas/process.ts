import { AppError } from '../../domain/errors.ts';
import { type Quota, type QuotaOptions, type QuotaReservation, quotaExceeded } from '../quota.ts';
import { retryCount, unexpired, until } from './count-stored.ts';
import { createStoredFiles, type StoredFiles } from './stored-files.ts';
import { createSums } from './sums.ts';

/** More than other processes can store in that time, over a line of 8 Gbit/s. */
const OTHERS_BYTES_PER_MS = 1_000_000;
/** A full store is counted again at most this often for uploads that it refuses. */
const MIN_RECOUNT_MS = 5_000;
/** How many uploads may wait while the store is counted before each of them. */
const MAX_WAITING = 64;

/** The quota of a process, with the files that it knows of. */
export type ProcessQuota = Quota & Pick<StoredFiles, 'add'>;

/**
 * Counts in the memory of this process. Files that others store are found by listing the storage: once at the start, and
 * where others share it, before a file is published whenever they may have used up what is left since the last listing.
 * Then one file is published after the other, so that each process exceeds the quota by one file at most.
 */
export async function openProcessQuota(options: QuotaOptions, retryMs?: number): Promise<ProcessQuota> {
  const { totalBytes, ownerBytes, bucketsOf, storage, elapsedMs, now, report } = options;
  const stored = createStoredFiles(options);
  const reserved = createSums(options);
  let listedAt = Number.NEGATIVE_INFINITY;
  /** Wall clock, ms since 1970: files uploaded before this time are counted, whichever process received them. */
  let countedUntil = Number.NEGATIVE_INFINITY;
  let turn: Promise<unknown> = Promise.resolve();
  let waiting = 0;

  async function list(signal = new AbortController().signal): Promise<void> {
    const [begunAt, begunTime] = [elapsedMs(), now()];
    await stored.recount(until(signal, unexpired(options)));
    listedAt = begunAt;
    countedUntil = begunTime;
  }

  /** Returns the bytes left beside those that are stored or reserved. Throws AppError when they are fewer than needed. */
  function requireSpace(owner: string, neededBytes: number, isReserved: boolean): number {
    const usedOf = (key: string) => stored.sums().of(key) + (isReserved ? 0 : reserved.of(key));
    const used = stored.sums().total() + (isReserved ? 0 : reserved.total());
    const buckets = bucketsOf(owner, ownerBytes).map((one) => ({
      ...one,
      left: one.limit - usedOf(one.key),
    }));
    const left = Math.min(totalBytes - used, ...buckets.map((bucket) => bucket.left));
    if (left > 0 && left >= neededBytes) return left;
    throw quotaExceeded(
      left,
      buckets.find((bucket) => bucket.left <= 0),
    );
  }

  async function isOutdated(maxAgeMs: number): Promise<boolean> {
    return elapsedMs() - listedAt > maxAgeMs && (await storage.isShared());
  }

  async function reserve(owner: string, bytes: number, neededBytes = 0): Promise<QuotaReservation> {
    try {
      return createReservation(owner, bytes, neededBytes);
    } catch (error) {
      // Others may have removed files since.
      if (!(await isOutdated(MIN_RECOUNT_MS))) throw error;
      await inTurn(async () => {
        if (await isOutdated(MIN_RECOUNT_MS)) await list();
      });
      return createReservation(owner, bytes, neededBytes);
    }
  }

  function createReservation(owner: string, wanted: number, neededBytes: number): QuotaReservation {
    let held = Math.min(wanted, requireSpace(owner, neededBytes, false));
    reserved.add(owner, held);

    function hold(bytes: number): void {
      reserved.add(owner, bytes - held);
      held = bytes;
    }

    return {
      bytes: () => held,
      grow(bytes, aheadBytes = 0) {
        if (bytes <= held) return undefined;
        const needed = bytes - held;
        hold(held + Math.min(needed + aheadBytes, requireSpace(owner, needed, false)));
        return undefined;
      },
      async keep(id, size, publish) {
        const file = { id, owner, size };
        await inTurnIfDoubtful(owner, size, async () => {
          hold(0);
          stored.add(file);
          await publish().catch((error: unknown) => {
            stored.remove(file);
            throw error;
          });
        });
      },
      release: () => hold(0),
    };
  }

  /** Publishes at once while other processes cannot have used up what is left, and else after a listing of its own. */
  async function inTurnIfDoubtful(owner: string, size: number, publish: () => Promise<void>): Promise<void> {
    const maxAgeMs = (requireSpace(owner, size, true) - size) / OTHERS_BYTES_PER_MS;
    if (!(await isOutdated(maxAgeMs))) return publish();
    await inTurn(async () => {
      await list();
      requireSpace(owner, size, true);
      await publish();
    });
  }

  async function inTurn(work: () => Promise<void>): Promise<void> {
    if (waiting >= MAX_WAITING) {
      const message = 'the store is nearly full and many files wait to be counted; try again in a moment';
      throw new AppError('overloaded', message, { retryAfterMs: MIN_RECOUNT_MS });
    }
    waiting += 1;
    const mine = turn.then(work).finally(() => {
      waiting -= 1;
    });
    turn = mine.catch(() => {});
    await mine;
  }

  const stopCounting = retryCount((signal) => inTurn(() => list(signal)), { report }, retryMs);
  return {
    reserve,
    add: stored.add,
    async replace({ owner, ...counted }, id, size, publish) {
      const file = { id, owner, size };
      stored.remove({ owner, ...counted });
      stored.add(file);
      await publish().catch((error: unknown) => {
        stored.remove(file);
        stored.add({ owner, ...counted });
        throw error;
      });
    },
    forget: (removed, isOwn = true) => stored.remove(removed, isOwn || removed.uploadedAt < countedUntil),
    expire: stored.expire,
    stored: () => ({ bytes: stored.sums().total() + reserved.total(), files: stored.files() }),
    close: stopCounting,
  };
}

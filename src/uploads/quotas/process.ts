import { AppError } from '../../domain/errors.ts';
import {
  type Quota,
  type QuotaOptions,
  type QuotaReservation,
  quotaExceeded,
  type Removal,
  type Usage,
} from '../quota.ts';
import { retryCount, unexpired } from './count-stored.ts';
import { createStoredFiles, type StoredFiles } from './stored-files.ts';
import { createSums } from './sums.ts';

/** The most that other processes can store in a millisecond, over a line of 8 Gbit/s. */
const OTHERS_BYTES_PER_MS = 1_000_000;
/** A full store is counted again at most this often for uploads that it refuses. */
const MIN_RECOUNT_MS = 5_000;
/** How many uploads may wait for their turn, in which the store is counted. */
const MAX_WAITING = 64;

/** The quota of one process, to which files can be added that were counted elsewhere. */
export type ProcessQuota = Quota & Pick<StoredFiles, 'add'>;

/**
 * Counts in the memory of this process, which finds the files of others by listing the storage: once at the start and,
 * where others share it, before it publishes a file if they may have used up the space left since the last listing. Such
 * files are published one after the other, so each process exceeds the quota by one file at most.
 */
export async function openProcessQuota(options: QuotaOptions, retryMs?: number): Promise<ProcessQuota> {
  const { totalBytes, ownerBytes, bucketsOf, storage, elapsedMs, now, report } = options;
  const stored = createStoredFiles(options);
  const reserved = createSums(options);
  let listedAt = Number.NEGATIVE_INFINITY;
  /** Wall clock, ms since 1970: files uploaded before this time are counted, whichever process received them. */
  let countedUntil = Number.NEGATIVE_INFINITY;
  /** Wall clock: a file that was removed before this time may be missing from the last listing, so it does not count. */
  let listedUntil = Number.NEGATIVE_INFINITY;
  let turn: Promise<unknown> = Promise.resolve();
  let waiting = 0;

  async function list(signal?: AbortSignal): Promise<void> {
    const begunAt = elapsedMs();
    const begunTime = now();
    await stored.recount(unexpired(options, signal));
    listedAt = begunAt;
    countedUntil = begunTime;
    listedUntil = now();
  }

  /**
   * Returns the bytes left for an owner. Throws AppError `storage-full` when fewer than `neededBytes` are. `isReserved`:
   * whether a reservation covers them, so that only stored files take space from them.
   */
  function requireSpace(owner: string, neededBytes: number, isReserved: boolean): number {
    const usedOf = (key: string) => stored.sums().of(key) + (isReserved ? 0 : reserved.of(key));
    const used = stored.sums().total() + (isReserved ? 0 : reserved.total());
    const buckets = bucketsOf(owner, ownerBytes).map((one) => ({
      ...one,
      left: one.limit - usedOf(one.key),
    }));
    const left = Math.min(totalBytes - used, ...buckets.map((bucket) => bucket.left));
    if (left > 0 && left >= neededBytes) return left;
    const exhausted = buckets.find((bucket) => bucket.left <= 0);
    throw quotaExceeded(left, exhausted);
  }

  function isCounted(
    { uploadedAt }: Usage,
    { isOwn = true, removedAt = Number.POSITIVE_INFINITY }: Removal = {},
  ): boolean {
    return (isOwn || uploadedAt < countedUntil) && removedAt >= listedUntil;
  }

  async function isOutdated(maxAgeMs: number): Promise<boolean> {
    return elapsedMs() - listedAt > maxAgeMs && (await storage.isShared());
  }

  async function reserve(owner: string, bytes: number, neededBytes = 0): Promise<QuotaReservation> {
    try {
      return createReservation(owner, bytes, neededBytes);
    } catch (error) {
      // Other processes may have removed files since the last listing.
      if (!(await isOutdated(MIN_RECOUNT_MS))) throw error;
      await inTurn(async () => {
        if (await isOutdated(MIN_RECOUNT_MS)) await list();
      });
      return createReservation(owner, bytes, neededBytes);
    }
  }

  function createReservation(owner: string, wanted: number, neededBytes: number): QuotaReservation {
    let reservedBytes = Math.min(wanted, requireSpace(owner, neededBytes, false));
    reserved.add(owner, reservedBytes);

    function setReserved(bytes: number): void {
      reserved.add(owner, bytes - reservedBytes);
      reservedBytes = bytes;
    }

    return {
      bytes: () => reservedBytes,
      grow(bytes, aheadBytes = 0) {
        if (bytes <= reservedBytes) return undefined;
        const needed = bytes - reservedBytes;
        setReserved(reservedBytes + Math.min(needed + aheadBytes, requireSpace(owner, needed, false)));
        return undefined;
      },
      async keep(id, size, publish) {
        const file = { id, owner, size };
        await publishInTurnIfNearlyFull(owner, size, async () => {
          setReserved(0);
          await stored.publish(file, publish);
        });
      },
      release: () => setReserved(0),
    };
  }

  /** Publishes at once if other processes cannot have used up the space left, and otherwise after a new listing. */
  async function publishInTurnIfNearlyFull(
    owner: string,
    size: number,
    publish: () => Promise<void>,
  ): Promise<void> {
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

  const stopCounting = retryCount((signal) => inTurn(() => list(signal)), report, retryMs);
  return {
    reserve,
    add: stored.add,
    async replace({ owner, ...counted }, id, size, publish) {
      const file = { id, owner, size };
      stored.remove({ owner, ...counted });
      await stored.publish(file, publish).catch((error: unknown) => {
        stored.add({ owner, ...counted });
        throw error;
      });
    },
    forget: (removed, removal) => stored.remove(removed, isCounted(removed, removal)),
    expire: stored.expire,
    stored: () => ({ bytes: stored.sums().total() + reserved.total(), files: stored.files() }),
    close: stopCounting,
  };
}

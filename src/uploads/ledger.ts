import { AppError } from '../domain/errors.ts';
import type { Report } from '../domain/operational-event.ts';
import type { UploadId } from '../domain/upload-id.ts';
import { addressBuckets } from '../network/address-buckets.ts';
import type { LimitBucket } from '../network/limiter.ts';
import type { Storage, Usage } from './storage.ts';

/** Exported for the drivers, which import only their interface. */
export type { Usage } from './storage.ts';

/** A stored file or an upload that may be continued. Its id contains its expiry. */
export type CountedItem = Pick<Usage, 'id' | 'owner' | 'size'>;

/**
 * What `Ledger.take` resolves with: the amount taken, and its term; or, if a bucket has too little left, the index of the first
 * such bucket (`short`) and what is left in it.
 */
export interface Taken {
  ok: true;
  amount: number;
  term: number;
}
export interface NotTaken {
  ok: false;
  left: number;
  short: number;
}

/**
 * Sums in buckets: of what this process holds for the moment (reservations, places of uploads under way), and of entries. A
 * process, or all processes on a Redis, have one ledger. Calls reject with AppError `limiter-down` while it does not answer.
 */
export interface UploadLedger {
  /** Takes `wanted`, or what is left if that is less, from each of the buckets; nothing when less than `needed` is left. */
  take(
    buckets: readonly LimitBucket[],
    wanted: number,
    needed: number,
  ): Taken | NotTaken | Promise<Taken | NotTaken>;
  /** Whether what was taken in this term is still held: others may have been given it since. */
  stands(term: number): boolean;
  /**
   * Gives back what was taken, and counts entries, which are stored already, with their present sizes instead. Does not fail: what a
   * ledger loses, it counts anew.
   */
  give(
    keys: readonly string[],
    amount: number,
    term: number,
    entries?: readonly CountedItem[],
  ): Promise<void>;
  /** Removes an entry, in whichever process. It cannot be counted again. */
  remove(id: UploadId): void;
  /** Removes the entries that have expired (ms since 1970), but not those that may still be stored. */
  expire(now: number, isLeft?: (id: UploadId) => boolean): void;
  /** The sum of all entries and reservations in bytes, and the number of entries, as far as this process knows. */
  used(): { bytes: number; files: number };
}

export interface LedgerOptions {
  /** What is stored, as a ledger counts it anew. */
  storage: Pick<Storage, 'usage' | 'open' | 'collections'> & {
    resumable: Pick<Storage['resumable'], 'usage' | 'find'>;
  };
  /** Monotonic clock, ms. */
  elapsedMs: () => number;
  report: Report;
  /** When a count of what is stored that has failed is repeated. */
  retryMs?: number;
}

/** Sums in the memory of this process. It has no entry for a bucket without any. */
export function createSums() {
  const sums = new Map<string, number>();

  function add(keys: readonly string[], amount: number): void {
    for (const key of keys) {
      const sum = (sums.get(key) ?? 0) + amount;
      if (sum === 0) sums.delete(key);
      else sums.set(key, sum);
    }
  }

  return {
    add,
    entries: (): Iterable<[key: string, amount: number]> => sums,
    of: (key: string) => sums.get(key) ?? 0,
    take(buckets: readonly LimitBucket[], wanted: number, needed: number, term = 0): Taken | NotTaken {
      const rests = buckets.map(({ key, limit }) => limit - (sums.get(key) ?? 0));
      const left = Math.min(...rests);
      const short = rests.findIndex((rest) => rest < needed);
      if (short >= 0) return { ok: false, left: rests[short] ?? 0, short };
      const amount = Math.min(wanted, left);
      add(
        buckets.map(({ key }) => key),
        amount,
      );
      return { ok: true, amount, term };
    },
  };
}

/** The key of the bucket of all files. */
export const ALL_FILES = '*';

/** The most that one owner's files, and all files together, may take. */
export interface FileLimits {
  ownerBytes: number;
  totalBytes: number;
}

/** The buckets that the files of an owner count in, the one of all files last. */
export function fileBuckets(owner: string, limits: FileLimits): LimitBucket[] {
  const ofOwner = addressBuckets(owner.replace(/\/64$/u, ''), limits.ownerBytes);
  return [...ofOwner, { key: ALL_FILES, limit: limits.totalBytes }];
}

/** The keys of those buckets. */
export function fileKeys(owner: string): string[] {
  return fileBuckets(owner, { ownerBytes: 0, totalBytes: 0 }).map(({ key }) => key);
}

const RETRY_AFTER_MS = 5_000;

/** AppError `limiter-down`. */
export function limiterDown(cause: unknown): AppError {
  const message = 'uploads cannot be counted at the moment; try again in a few seconds';
  return new AppError('limiter-down', message, { cause, retryAfterMs: RETRY_AFTER_MS });
}

import type { UploadId } from '../../src/domain/upload-id.ts';
import { fileBuckets, type LedgerOptions } from '../../src/uploads/ledger.ts';
import type { Limits } from '../../src/uploads/limiters/drivers.ts';
import { openMemoryLimits } from '../../src/uploads/limiters/memory.ts';
import { createQuota, type Quota, type SpaceReservation, type StoredSize } from '../../src/uploads/quota.ts';
import type { Storage, StoredFile, Usage } from '../../src/uploads/storage.ts';
import { newId } from './uploads.ts';

/** Two senders. */
export const A = '192.0.2.1';
export const B = '192.0.2.2';

const NO_FILES: LedgerOptions['storage'] = {
  async *usage() {},
  open: async () => undefined,
  resumable: { async *usage() {}, find: async () => undefined },
  collections: { async *list() {}, get: async () => undefined, put: async () => {}, remove: async () => {} },
};

export interface TestQuotaOptions extends LedgerOptions {
  totalBytes: number;
  ownerBytes: number;
  free: Storage['free'];
}

/** What limits uploads in a test. */
export interface TestLimits extends Limits {
  quota: Quota;
  /** How many bytes an owner can reserve; undefined while nothing can be reserved. */
  leftOf: (owner: string) => Promise<number | undefined>;
}

/** Opens limits for a test: an empty storage and the clocks of the machine, unless `more` says otherwise. */
export async function openLimits(
  open: (options: LedgerOptions) => Promise<Limits>,
  more: Partial<TestQuotaOptions> = {},
): Promise<TestLimits> {
  const options: TestQuotaOptions = {
    totalBytes: 100,
    ownerBytes: 60,
    free: async () => ({ bytes: Number.POSITIVE_INFINITY, files: Number.POSITIVE_INFINITY }),
    storage: NO_FILES,
    elapsedMs: () => performance.now(),
    report: () => {},
    ...more,
  };
  const limits = await open(options);
  const { ledger } = limits;
  return {
    ...limits,
    quota: createQuota({ ...options, ledger, storage: options }),
    async leftOf(owner) {
      try {
        const lefts = fileBuckets(owner, options).map(async (bucket) => {
          // So much cannot be taken.
          const taken = await ledger.take([bucket], 0, Number.MAX_SAFE_INTEGER);
          return taken.ok ? Number.POSITIVE_INFINITY : taken.left;
        });
        return Math.min(...(await Promise.all(lefts)));
      } catch {
        return undefined;
      }
    },
  };
}

/** A quota in the memory of this process. */
export async function openQuota(more: Partial<TestQuotaOptions> = {}): Promise<Quota> {
  return (await openLimits(openMemoryLimits, more)).quota;
}

/** Reserves so many bytes and no more. */
export async function reserve(quota: Quota, owner: string, bytes: number) {
  const reservation = await quota.reserve(owner, bytes);
  await reservation.grow(bytes);
  return reservation;
}

/** Counts something as stored, in place of so much of a reservation. */
export async function commit(
  reservation: SpaceReservation,
  id: UploadId,
  size: number,
  { granted = size, rest = [] }: { granted?: number; rest?: StoredSize[] } = {},
): Promise<void> {
  const grant = await reservation.grant(granted);
  await grant.commit({ id, size }, ...rest);
}

/** Counts a stored file of this size; resolves with how a storage lists it. */
export async function store(quota: Quota, owner: string, size: number, expiresAt: number): Promise<Usage> {
  const reservation = await reserve(quota, owner, size);
  const id = newId(expiresAt);
  await commit(reservation, id, size);
  return { id, owner, size, uploadedAt: 0 };
}

/** Files and uploads that a storage has, as it lists them. */
export class ListedFiles {
  files = new Map<string, Usage>();
  /** Thrown by the next listings, the first one first. */
  errors: Error[] = [];
  listings = 0;
  /** Files that a listing does not have yet. */
  lagging = new Set<string>();
  /** Called after each file that is listed. */
  onListed: (file: Usage) => void | Promise<void> = () => {};

  add(owner: string, size: number, expiresAt: number): Usage {
    const file = { id: newId(expiresAt), owner, size, uploadedAt: 0 };
    this.files.set(file.id, file);
    return file;
  }

  get bytes(): number {
    return [...this.files.values()].reduce((sum, { size }) => sum + size, 0);
  }

  readonly storage: LedgerOptions['storage'] = {
    ...NO_FILES,
    usage: () => this.#list(),
    // Only whether there is such a file matters.
    open: async (id) => (this.files.has(id) ? ({} as StoredFile) : undefined),
  };

  async *#list(): AsyncGenerator<Usage> {
    this.listings += 1;
    const error = this.errors.shift();
    for (const [index, file] of [...this.files.values()].entries()) {
      if (error && index > 0) throw error;
      if (this.lagging.has(file.id)) continue;
      yield file;
      await this.onListed(file);
    }
    if (error) throw error;
  }
}

import type { CountedStorage, LedgerOptions, Usage } from '../../src/uploads/ledger.ts';
import type { Limits } from '../../src/uploads/limiters/drivers.ts';
import { openMemoryLimits } from '../../src/uploads/limiters/memory.ts';
import { createKeysOf, createQuota, type Quota, type QuotaLimits } from '../../src/uploads/quota.ts';
import type { StoredFile } from '../../src/uploads/storage.ts';
import { newId } from './uploads.ts';

const NO_FILES: CountedStorage = {
  async *usage() {},
  open: async () => undefined,
  resumable: { async *usage() {}, find: async () => undefined },
};

export type TestQuotaOptions = QuotaLimits & Omit<LedgerOptions, 'keysOf'>;

/** What limits uploads in a test. */
export interface TestLimits extends Limits {
  quota: Quota;
}

/**
 * Opens limits for a test: one bucket for each owner, an empty storage, and the clocks of the machine, unless `more` says
 * otherwise.
 */
export async function openLimits(
  open: (options: LedgerOptions) => Promise<Limits>,
  more: Partial<TestQuotaOptions> = {},
): Promise<TestLimits> {
  const options: TestQuotaOptions = {
    totalBytes: 100,
    ownerBytes: 60,
    bucketsOf: (owner, limit) => [{ key: owner, limit }],
    storage: NO_FILES,
    elapsedMs: () => performance.now(),
    now: Date.now,
    report: () => {},
    ...more,
  };
  const limits = await open({ ...options, keysOf: createKeysOf(options) });
  return { ...limits, quota: createQuota(limits.ledger, options) };
}

/** A quota in the memory of this process. */
export async function openQuota(more: Partial<TestQuotaOptions> = {}): Promise<Quota> {
  return (await openLimits(openMemoryLimits, more)).quota;
}

/** Counts a stored file of this size; resolves with how a storage lists it. */
export async function store(quota: Quota, owner: string, size: number, expiresAt: number): Promise<Usage> {
  const reservation = await quota.reserve(owner, size);
  await reservation.grow(size);
  const id = newId(expiresAt);
  await reservation.keep(id, size);
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

  readonly storage: CountedStorage = {
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

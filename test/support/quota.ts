import type { Quota, QuotaOptions, Usage } from '../../src/uploads/quota.ts';
import { openProcessQuota } from '../../src/uploads/quotas/process.ts';
import { newId } from './uploads.ts';

export const NO_FILES: QuotaOptions['storage'] = {
  async *usage() {},
  isShared: async () => false,
  resumable: { async *usage() {} },
};

/** One bucket for each owner, an empty storage that no other process shares, and the clocks of the machine. */
export function quotaOptions(more: Partial<QuotaOptions> = {}): QuotaOptions {
  return {
    totalBytes: 100,
    ownerBytes: 60,
    bucketsOf: (owner, limit) => [{ key: owner, limit }],
    storage: NO_FILES,
    elapsedMs: () => performance.now(),
    now: Date.now,
    report: () => {},
    ...more,
  };
}

export const openQuota = (more: Partial<QuotaOptions> = {}) => openProcessQuota(quotaOptions(more));

/** Counts a stored file of this size; resolves with how it is counted. */
export async function store(quota: Quota, owner: string, size: number, expiresAt: number): Promise<Usage> {
  const reservation = await quota.reserve(owner, size, size);
  const id = newId(expiresAt);
  await reservation.keep(id, size, async () => {});
  return { id, owner, size, uploadedAt: 0 };
}

/** Files that a storage has, as it lists them. */
export class ListedFiles {
  files: Usage[] = [];
  /** Thrown by the next listings, the first one first. */
  errors: Error[] = [];
  listings = 0;
  shared = false;

  add(owner: string, size: number, expiresAt: number): Usage {
    const file = { id: newId(expiresAt), owner, size, uploadedAt: 0 };
    this.files.push(file);
    return file;
  }

  readonly storage: QuotaOptions['storage'] = {
    usage: () => this.#list(),
    isShared: async () => this.shared,
    resumable: NO_FILES.resumable,
  };

  async *#list(): AsyncGenerator<Usage> {
    this.listings += 1;
    const error = this.errors.shift();
    for (const [index, file] of this.files.entries()) {
      if (error && index > 0) throw error;
      yield file;
    }
    if (error) throw error;
  }
}

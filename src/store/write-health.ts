import { type Lease, LeaseLostError, type LeaseName, type Store } from './store.ts';

/** How much is written to try whether the store can be written, where no larger write has failed. */
const PROBE_BYTES = 1_024;

/** Leases of a store, and whether it can be written. */
export interface WriteHealth {
  /** Takes a lease of the driver. That another process has it does not show whether the store can be written. */
  lease(name: LeaseName): Promise<Lease | undefined>;
  /** Writes under a lease, and notes whether that worked. */
  write(taken: Lease, values: Record<string, unknown>): Promise<void>;
  /** Whether the last write or lease of this process worked, and why not; null before the first. */
  lastWrite(): { writable: boolean | null; error?: unknown };
  /** After a failed write, tries to write as much again, so that `lastWrite` is true while the store works. Never rejects. */
  retryWrite(): Promise<void>;
  /** Rejects while a write as large as the last failed write would fail again. */
  requireWritable(): Promise<void>;
}

export function watchWrites(store: Store): WriteHealth {
  let hasWritten = false;
  /** The last write that has failed, and the largest since one as large worked. */
  let failure: { error: unknown; bytes: number } | undefined;

  /** A write of `bytes` has failed. Smaller ones may still work, which does not show that this one would. */
  function noteFailure(error: unknown, bytes: number): void {
    failure = { error, bytes: Math.max(bytes, failure?.bytes ?? 0) };
  }

  function noteSuccess(): void {
    failure = undefined;
    hasWritten = true;
  }

  async function write(taken: Lease, values: Record<string, unknown>): Promise<void> {
    const bytes = () => JSON.stringify(values).length;
    try {
      await taken.write(values);
      if (!failure || bytes() >= failure.bytes) noteSuccess();
    } catch (error) {
      if (!(error instanceof LeaseLostError)) noteFailure(error, bytes());
      throw error;
    }
  }

  async function retryWrite(): Promise<void> {
    if (!failure) return;
    const { bytes } = failure;
    await store.probe(bytes).then(noteSuccess, (error: unknown) => noteFailure(error, bytes));
  }

  return {
    async lease(name) {
      const taken = await store.lease(name).catch((error: unknown) => {
        noteFailure(error, PROBE_BYTES);
        throw error;
      });
      return taken && { ...taken, write: (written) => write(taken, written) };
    },
    write,
    lastWrite: () => ({ writable: failure ? false : hasWritten || null, error: failure?.error }),
    retryWrite,
    async requireWritable() {
      await retryWrite();
      if (failure) throw failure.error;
    },
  };
}

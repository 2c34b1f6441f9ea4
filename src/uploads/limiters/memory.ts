import type { LedgerOptions } from '../ledger.ts';
import type { Limits } from './drivers.ts';
import { createMemoryLedger } from './memory-ledger.ts';
import { openMemoryWindow } from './memory-window.ts';
import { recount, untilCounted } from './recount.ts';

/** Counts in the memory of this process, which finds the files of earlier ones by listing the storage once. */
export async function openMemoryLimits(options: LedgerOptions, retryMs?: number): Promise<Limits> {
  const ledger = createMemoryLedger(options);
  const closing = new AbortController();
  const { signal } = closing;
  const counting = untilCounted(() => recount(ledger, options, signal), options, signal, retryMs);
  return {
    openWindow: (windowMs) => openMemoryWindow({ windowMs, elapsedMs: options.elapsedMs }),
    ledger,
    async close() {
      closing.abort();
      await counting;
    },
  };
}

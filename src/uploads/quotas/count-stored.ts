import { setTimeout as sleep } from 'node:timers/promises';
import type { Report } from '../../domain/operational-event.ts';
import { isExpired } from '../../domain/upload.ts';
import type { QuotaOptions, Usage } from '../quota.ts';

const RETRY_MS = 10_000;

/**
 * Yields the stored files and the incomplete uploads that have not expired. Throws the reason of the signal once that is
 * aborted.
 */
export async function* unexpired(
  { storage, now }: QuotaOptions,
  signal: AbortSignal | undefined,
): AsyncGenerator<Usage> {
  for (const usages of [storage.usage(), storage.resumable.usage()]) {
    for await (const usage of usages) {
      signal?.throwIfAborted();
      if (!isExpired(usage.id, now())) yield usage;
    }
  }
}

/** Runs `count` in the background until it succeeds once. Returns the function that stops it and waits for its end. */
export function retryCount(
  count: (signal: AbortSignal) => Promise<void>,
  report: Report,
  retryMs = RETRY_MS,
): () => Promise<void> {
  const stopped = new AbortController();
  const { signal } = stopped;

  async function run(): Promise<void> {
    while (!signal.aborted) {
      try {
        return await count(signal);
      } catch (error) {
        if (!signal.aborted) report({ type: 'store-failed', doing: 'counting what is stored', error });
      }
      await sleep(retryMs, undefined, { signal }).catch(() => {});
    }
  }

  const running = run();
  return async () => {
    stopped.abort();
    await running;
  };
}

import { setTimeout as sleep } from 'node:timers/promises';
import { expiryOf } from '../../domain/upload.ts';
import type { QuotaOptions, Usage } from '../quota.ts';

const RETRY_MS = 10_000;

/** Yields the stored files, and the uploads that are not complete, that have not expired. */
export async function* unexpired({
  storage,
  now,
}: Pick<QuotaOptions, 'storage' | 'now'>): AsyncGenerator<Usage> {
  for (const usages of [storage.usage(), storage.resumable.usage()])
    for await (const usage of usages) if ((expiryOf(usage.id) ?? 0) > now()) yield usage;
}

/** Runs `count` in the background until it succeeds once. Returns the function that stops it and waits for its end. */
export function retryCount(
  count: (signal: AbortSignal) => Promise<void>,
  { report }: Pick<QuotaOptions, 'report'>,
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

/** Ends an iteration early, with the reason of the signal. */
export async function* until<Item>(signal: AbortSignal, items: AsyncIterable<Item>): AsyncGenerator<Item> {
  for await (const item of items) {
    signal.throwIfAborted();
    yield item;
  }
}

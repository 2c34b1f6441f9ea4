import { setTimeout as sleep } from 'node:timers/promises';
import type { Report } from '../domain/operational-event.ts';
import { expiryOf } from '../domain/upload.ts';
import type { Quota } from './quota.ts';
import type { Storage } from './storage.ts';

const RETRY_MS = 10_000;

export interface CountOptions {
  storage: Storage;
  quota: Quota;
  report: Report;
  /** What was uploaded from then on counts itself; ms since 1970. */
  before: number;
  /** How long a store that could not be counted is left alone. */
  retryMs?: number;
}

/** Counts what earlier processes stored, in the background. Returns the way to stop. */
export function countStored(options: CountOptions): () => Promise<void> {
  const { storage, quota, report, before, retryMs = RETRY_MS } = options;
  const stopped = new AbortController();
  const { signal } = stopped;

  async function count(): Promise<void> {
    for await (const usage of storage.usage()) {
      if (signal.aborted) return;
      const isAlive = (expiryOf(usage.id) ?? 0) > before;
      if (isAlive) quota.count(usage);
    }
  }

  /** A store that breaks off is counted again from its beginning; the quota counts no file twice. */
  async function countAll(): Promise<void> {
    const end = quota.startCounting(before);
    for (let isDone = false; !isDone && !signal.aborted; ) {
      isDone = await count().then(
        () => true,
        (error: unknown) => {
          report({ type: 'store-failed', doing: 'counting what is stored', error });
          return false;
        },
      );
      if (!isDone) await sleep(retryMs, undefined, { signal }).catch(() => {});
    }
    end();
  }

  const counting = countAll();
  return async () => {
    stopped.abort();
    await counting;
  };
}

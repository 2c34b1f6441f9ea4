import { setTimeout as sleep } from 'node:timers/promises';
import type { Report } from '../domain/operational-event.ts';
import { expiryOf } from '../domain/upload.ts';
import type { Quota } from './quota.ts';
import type { Storage } from './storage.ts';

const RETRY_MS = 10_000;

interface CountOptions {
  storage: Storage;
  quota: Quota;
  report: Report;
  /** Files uploaded from this time on are counted when they are received; ms since 1970. */
  before: number;
  retryMs?: number;
}

/** Counts what earlier processes stored, in the background. Returns the function that stops it. */
export function countStored(options: CountOptions): () => Promise<void> {
  const { storage, quota, report, before, retryMs = RETRY_MS } = options;
  const stopped = new AbortController();
  const { signal } = stopped;

  /** A storage that fails is counted again from its beginning; the quota counts no file twice. */
  async function countAll(): Promise<void> {
    const endRecount = quota.startRecount(before);
    while (!signal.aborted && !(await tryCount()))
      await sleep(retryMs, undefined, { signal }).catch(() => {});
    endRecount();
  }

  /** Resolves with false when the storage failed. */
  async function tryCount(): Promise<boolean> {
    try {
      for (const usages of [storage.usage(), storage.resumable.usage()]) {
        for await (const usage of usages) {
          if (signal.aborted) break;
          const isExpired = (expiryOf(usage.id) ?? 0) <= before;
          if (!isExpired) quota.count(usage);
        }
      }
      return true;
    } catch (error) {
      report({ type: 'store-failed', doing: 'counting what is stored', error });
      return false;
    }
  }

  const counting = countAll();
  return async () => {
    stopped.abort();
    await counting;
  };
}

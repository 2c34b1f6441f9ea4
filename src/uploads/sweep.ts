import type { Report } from '../domain/operational-event.ts';
import { sweepRecords } from './moderation/sweep-records.ts';
import type { Quota } from './quota.ts';
import type { Storage } from './storage.ts';

/** Files have to be swept within a minute of their expiry, also when one sweep fails. */
const INTERVAL_MS = 25_000;

interface SweeperOptions {
  storage: Storage;
  quota: Quota;
  report: Report;
  /** Wall clock that does not jump, ms since 1970. */
  now: () => number;
}

/** Sweeps at once and then at an interval. Returns the function that stops it and waits for a sweep under way. */
export function startSweeping({ storage, quota, report, now }: SweeperOptions): () => Promise<void> {
  let underWay: Promise<void> | undefined;

  async function sweep(): Promise<void> {
    const at = now();
    quota.expire(at);
    const swept = await storage.sweep(at);
    if (swept.files + swept.stagedUploads > 0) report({ type: 'uploads-swept', ...swept });
    await sweepRecords(storage.records, at);
  }

  function sweepNow(): void {
    underWay ??= sweep()
      .catch((error: unknown) => report({ type: 'store-failed', doing: 'sweeping the uploads', error }))
      .finally(() => {
        underWay = undefined;
      });
  }

  sweepNow();
  const timer = setInterval(sweepNow, INTERVAL_MS);
  return async () => {
    clearInterval(timer);
    await underWay;
  };
}

import type { Report } from '../domain/operational-event.ts';
import type { Quota } from './quota.ts';
import type { Storage } from './storage.ts';

/** Half of what is promised: gone within a minute of its expiry, or of the start for what a crash left. */
const EVERY_MS = 25_000;

export interface SweeperOptions {
  storage: Storage;
  quota: Quota;
  report: Report;
  /** Wall clock that does not jump, ms since 1970. */
  now: () => number;
}

/** Sweeps at once and then all the time. Returns the way to stop, which waits for a sweep under way. */
export function startSweeping({ storage, quota, report, now }: SweeperOptions): () => Promise<void> {
  let underWay: Promise<void> | undefined;

  async function sweep(): Promise<void> {
    const at = now();
    quota.expire(at);
    const swept = await storage.sweep(at);
    if (swept.files + swept.drafts > 0) report({ type: 'uploads-swept', ...swept });
  }

  function sweepNow(): void {
    underWay ??= sweep()
      .catch((error: unknown) => report({ type: 'store-failed', doing: 'sweeping the uploads', error }))
      .finally(() => {
        underWay = undefined;
      });
  }

  sweepNow();
  const timer = setInterval(sweepNow, EVERY_MS);
  return async () => {
    clearInterval(timer);
    await underWay;
  };
}

import type { Report } from '../domain/operational-event.ts';
import { single } from '../domain/serial.ts';
import { isExpired, parseUploadId } from '../domain/upload.ts';
import { removalNames } from './moderation/changes.ts';
import { reportNames } from './moderation/reports.ts';
import type { Quota } from './quota.ts';
import type { Records, Storage } from './storage.ts';

/** Files have to be swept within a minute of their expiry, even when one sweep fails. */
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
  const sweep = single(async () => {
    const at = now();
    quota.expire(at);
    const { files, stagedUploads, removed } = await storage.sweep(at);
    for (const id of removed) quota.release(id);
    if (files + stagedUploads > 0) report({ type: 'uploads-swept', files, stagedUploads });
    await sweepRecords(storage.records, at);
  });

  function sweepNow(): Promise<void> {
    return sweep().catch((error: unknown) =>
      report({ type: 'store-failed', doing: 'sweeping the uploads', error }),
    );
  }

  let underWay = sweepNow();
  const timer = setInterval(() => {
    underWay = sweepNow();
  }, INTERVAL_MS);
  return async () => {
    clearInterval(timer);
    await underWay;
  };
}

/** Removes the reports of files that have expired, and the notices of their removals. */
export async function sweepRecords(records: Records, now: number): Promise<void> {
  const names = [...(await reportNames(records)), ...(await removalNames(records))];
  const due = names.filter((name) => {
    const id = parseUploadId(name.split('.')[1] ?? '');
    return !id || isExpired(id, now);
  });
  if (due.length > 0) await records.remove(due);
}

/** What is reported; ordinary corrections of a clock are smaller. */
const MIN_JUMP_MS = 10_000;
/** How long a clock that was set forward has to stay so before files are deleted by it. */
const MIN_PERSISTED_MS = 60_000;

interface SteadyClockOptions {
  /** Wall clock, ms since 1970. */
  now: () => number;
  /** Monotonic clock, ms. */
  elapsedMs: () => number;
  report: Report;
}

/**
 * Returns a clock for deletions, in ms since 1970, which is never ahead of the wall clock. It follows one that was set forward
 * only after a minute or two, so that a clock that is wrong for a moment deletes nothing.
 */
export function createSteadyClock({ now, elapsedMs, report }: SteadyClockOptions): () => number {
  // By how much the wall clock was ahead of the monotonic one: the least since `since`, and the least in the period before.
  let [least, before, since] = [Infinity, Infinity, -Infinity];
  let latest = Infinity;

  return () => {
    const elapsed = elapsedMs();
    const ahead = now() - elapsed;
    if (elapsed - since >= MIN_PERSISTED_MS) [before, least, since] = [least, ahead, elapsed];
    if (ahead - latest > MIN_JUMP_MS) report({ type: 'clock-jumped', byMs: ahead - latest });
    latest = ahead;
    least = Math.min(least, ahead);
    return elapsed + Math.min(before, least);
  };
}

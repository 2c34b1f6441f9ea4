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

/** The smallest change that counts as a jump. Ordinary corrections of a clock are smaller. */
const MIN_JUMP_MS = 10_000;
/** How long a jump has to persist before the clock follows it. */
const MIN_PERSISTED_MS = 60_000;

interface SteadyClockOptions {
  /** Wall clock, ms since 1970. */
  now: () => number;
  /** Monotonic clock, ms. */
  elapsedMs: () => number;
  report: Report;
}

/**
 * Returns a clock for deletions, in ms since 1970, which is never ahead of the wall clock. After a jump forward it
 * continues as before until the jump has persisted for a minute, so that a clock that is wrong for a moment deletes
 * nothing. Jumps are detected when the clock is read.
 */
export function createSteadyClock({ now, elapsedMs, report }: SteadyClockOptions): () => number {
  let offset = now() - elapsedMs();
  let jump: { offset: number; seenAt: number } | undefined;

  return () => {
    const elapsed = elapsedMs();
    const current = now() - elapsed;
    if (isNear(current, offset)) {
      offset = current;
      jump = undefined;
    } else if (!jump || !isNear(current, jump.offset)) {
      jump = { offset: current, seenAt: elapsed };
      report({ type: 'clock-jumped', byMs: current - offset });
    } else if (elapsed - jump.seenAt >= MIN_PERSISTED_MS) {
      offset = current;
      jump = undefined;
    }
    return elapsed + Math.min(offset, current);
  };
}

function isNear(one: number, other: number): boolean {
  return Math.abs(one - other) < MIN_JUMP_MS;
}

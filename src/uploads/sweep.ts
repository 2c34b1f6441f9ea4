import type { Report } from '../domain/operational-event.ts';
import { inBatches, repeat } from '../domain/serial.ts';
import { isExpired, parseUploadId } from '../domain/upload.ts';
import { reportNames } from './moderation/reports.ts';
import { attempt, type Failures, mayBeLeft, reportFailures } from './storage/failures.ts';
import { type Objects, RECORDS, REMOVAL } from './storage/objects.ts';
import type { ReceiverOptions } from './uploads.ts';

/** Files have to be swept within a minute of their expiry, even when one sweep fails. */
const INTERVAL_MS = 25_000;

interface SweeperOptions extends Pick<ReceiverOptions, 'storage' | 'quota' | 'report'> {
  /** Wall clock that does not jump, ms since 1970. */
  now: () => number;
}

/**
 * Sweeps at once and then at an interval. Each step fails alone. What fails is reported once, until it has succeeded; what may
 * still be stored because of it stays counted.
 */
export function startSweeping({ storage, quota, report, now }: SweeperOptions) {
  let failing: Failures = new Map();

  async function sweep(): Promise<void> {
    const at = now();
    const failures: Failures = new Map();
    const fail = (key: string) => (error: unknown) => void failures.set(key, error);
    const swept = await storage.sweep(at, failures).catch(fail(''));
    for (const id of swept?.removed ?? []) quota.release(id);
    const kept = new Set(swept?.kept);
    quota.expire(at, (id) => kept.has(id) || mayBeLeft(failures, id));
    await sweepRecords(storage.records, at, failures).catch(fail(RECORDS));
    const { files = 0, stagedUploads = 0 } = swept ?? {};
    if (files + stagedUploads > 0) report({ type: 'uploads-swept', files, stagedUploads });
    reportFailures(report, 'sweeping', new Map([...failures].filter(([key]) => !failing.has(key))));
    failing = failures;
  }

  /** `failing`: how many items the last sweep could not read or remove. */
  return { failing: () => failing.size, stop: repeat(sweep, INTERVAL_MS) };
}

/** Removes the reports of files that have expired, and the notices of their removals. */
export async function sweepRecords(records: Objects, now: number, failures: Failures): Promise<void> {
  const names = [...(await reportNames(records)), ...(await Array.fromAsync(records.list(REMOVAL)))];
  const due = names.filter((name) => {
    const id = parseUploadId(name.split('.')[1] ?? '');
    return !id || isExpired(id, now);
  });
  const remove = (name: string) => attempt(failures, RECORDS + name, () => records.remove([name]));
  await Array.fromAsync(inBatches(due, remove));
}

/** What is reported; ordinary corrections of a clock are smaller. */
const MIN_JUMP_MS = 10_000;
/** How long a clock that was set forward has to stay so before files are deleted and dated by it. */
const MIN_PERSISTED_MS = 60_000;

/**
 * Returns a clock for deletions and for the dates of what is stored, in ms since 1970, which is never ahead of the wall clock
 * `now`. It follows one that was set forward only after a minute or two, so that a clock that is wrong for a moment deletes
 * nothing, and what is stored meanwhile does not live longer.
 */
export function createSteadyClock(now: () => number, elapsedMs: () => number, report: Report): () => number {
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
    // The wall clock has whole milliseconds.
    return Math.ceil(elapsed + Math.min(before, least));
  };
}

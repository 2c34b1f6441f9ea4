import { inBatches, repeat } from '../domain/serial.ts';
import { isExpired, parseUploadId } from '../domain/upload-id.ts';
import { createCollectionSweep } from './collections/collection-store.ts';
import { reportNames } from './moderation/reports.ts';
import { attempt, type Failures, mayBeLeft, reportFailures } from './storage/failures.ts';
import { COLLECTIONS, type Objects, RECORDS, REMOVAL } from './storage/objects.ts';
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
  const sweepCollections = createCollectionSweep(storage.collections);
  let failing: Failures = new Map();
  let waitingReports = 0;

  async function sweep(): Promise<void> {
    const at = now();
    const failures: Failures = new Map();
    const fail = (key: string) => (error: unknown) => void failures.set(key, error);
    const swept = await storage.sweep(at, failures).catch(fail(''));
    for (const id of swept?.removed ?? []) quota.release(id);
    await sweepCollections(at, failures).catch(fail(COLLECTIONS));
    const kept = new Set(swept?.kept);
    quota.expire(at, (id) => kept.has(id) || mayBeLeft(failures, id));
    const reports = await sweepRecords(storage.records, at, failures).catch(fail(RECORDS));
    waitingReports = reports ?? waitingReports;
    const { files = 0, stagedUploads = 0 } = swept ?? {};
    if (files + stagedUploads > 0) report({ type: 'uploads-swept', files, stagedUploads });
    reportFailures(report, 'sweeping', new Map([...failures].filter(([key]) => !failing.has(key))));
    failing = failures;
  }

  return {
    /** How many items the last sweep could not read or remove. */
    failing: () => failing.size,
    /** How many reports it has left, of files that are still there. */
    waitingReports: () => waitingReports,
    stop: repeat(sweep, INTERVAL_MS),
  };
}

/** Removes the reports of files that have expired, and the notices of their removals. Resolves with how many reports are left. */
export async function sweepRecords(records: Objects, now: number, failures: Failures): Promise<number> {
  const reports = await reportNames(records);
  const notices = await Array.fromAsync(records.list(REMOVAL));
  const isDue = (name: string) => {
    const id = parseUploadId(name.split('.')[1] ?? '');
    return !id || isExpired(id, now);
  };
  const due = [...reports, ...notices].filter(isDue);
  const remove = (name: string) => attempt(failures, RECORDS + name, () => records.remove([name]));
  await Array.fromAsync(inBatches(due, remove));
  return reports.filter((name) => !isDue(name)).length;
}

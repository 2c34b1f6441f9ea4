import type { Report } from '../domain/operational-event.ts';
import { single } from '../domain/serial.ts';
import { isExpired, parseUploadId } from '../domain/upload.ts';
import { oldNotices } from './moderation/changes.ts';
import { reportedId, reportNames } from './moderation/reports.ts';
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

/** Removes the reports of files that have expired, and notices of removals that every process has seen. */
export async function sweepRecords(records: Records, now: number): Promise<void> {
  const reports = (await reportNames(records)).filter((name) => {
    const id = parseUploadId(reportedId(name));
    return !id || isExpired(id, now);
  });
  const due = [...reports, ...(await oldNotices(records, now))];
  if (due.length > 0) await records.remove(due);
}

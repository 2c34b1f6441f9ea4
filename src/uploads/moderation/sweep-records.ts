import { expiryOf } from '../../domain/upload.ts';
import type { Records } from '../storage.ts';
import { isNoticeOver, NOTICE_PREFIX, parseNoticeName } from './removal-notice.ts';
import { reportedId, reportNames } from './reports.ts';

/** Removes the reports of files that have expired, and notices of removals that every process has seen. */
export async function sweepRecords(records: Records, now: number): Promise<void> {
  const reports = await reportNames(records);
  const due = reports.filter((name) => (expiryOf(reportedId(name)) ?? 0) <= now);
  for await (const name of records.list(NOTICE_PREFIX)) {
    const notice = parseNoticeName(name);
    if (!notice || isNoticeOver(notice, now)) due.push(name);
  }
  if (due.length > 0) await records.remove(due);
}

import { randomBytes } from 'node:crypto';
import type { FileReport } from '../../domain/file-report.ts';
import type { Report } from '../../domain/operational-event.ts';
import { excerpt } from '../../domain/text.ts';
import type { Objects } from '../storage/objects.ts';

/** Further reports of a file are accepted and dropped: these are enough for the operator. Concurrent ones may exceed it. */
const MAX_OF_FILE = 20;
/** Beyond these, reports go to the log only. */
const MAX_IN_ALL = 10_000;
const MAX_LOGGED_NOTE = 200;
const PREFIX = 'report.';

/** A report as it is stored, without the address of its sender. */
export interface StoredReport extends FileReport {
  /** The id of the file. */
  id: string;
  /** Ms since 1970. */
  at: number;
}

/** Reports an existing file to the log and the operator. */
export type ReportFile = (id: string, fileReport: FileReport) => Promise<void>;

/** `now`: wall clock, ms since 1970. */
export function createReporting(records: Objects, now: () => number, report: Report): ReportFile {
  return async (id, { reason, note }) => {
    const names = await reportNames(records);
    const earlier = names.filter((name) => reportedId(name) === id).length;
    if (earlier >= MAX_OF_FILE) return;
    const isStored = names.length < MAX_IN_ALL;
    if (isStored) {
      const at = now();
      const name = `${PREFIX}${id}.${at.toString(36)}-${randomBytes(4).toString('hex')}`;
      await records.put(name, Buffer.from(JSON.stringify({ id, reason, note, at } satisfies StoredReport)));
    }
    report({ type: 'file-reported', id, reason, note: excerpt(note, MAX_LOGGED_NOTE), isStored, earlier });
  };
}

/** The names of all reports, or of those of one file. */
export async function reportNames(records: Objects, id?: string): Promise<string[]> {
  return Array.fromAsync(records.list(id === undefined ? PREFIX : `${PREFIX}${id}.`));
}

/** Returns the id of the reported file, from the name of a report. */
export function reportedId(name: string): string {
  return name.slice(PREFIX.length).split('.')[0] ?? '';
}

/** Undefined when it is gone or cannot be read. */
export async function readReport(records: Objects, name: string): Promise<StoredReport | undefined> {
  const content = await records.get(name);
  try {
    // `add` alone writes such records.
    return content && (JSON.parse(content.toString()) as StoredReport);
  } catch {
    return undefined;
  }
}

/** Removes the reports of a file. */
export async function forgetReports(records: Objects, id: string): Promise<void> {
  await records.remove(await reportNames(records, id));
}

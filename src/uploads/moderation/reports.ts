import { randomBytes } from 'node:crypto';
import type { FileReport } from '../../domain/file-report.ts';
import type { Report } from '../../domain/operational-event.ts';
import { excerpt } from '../../domain/text.ts';
import type { Records } from '../storage.ts';

/**
 * Further reports of the file are accepted and dropped, because these are enough for the operator. Concurrent reports may
 * exceed this by their number.
 */
const MAX_OF_FILE = 20;
/** Beyond these, reports go to the log only. */
const MAX_IN_ALL = 10_000;
/** How long the number of all reports is remembered, because counting takes a listing. */
const COUNT_TTL_MS = 60_000;
const MAX_LOGGED_NOTE = 200;
const PREFIX = 'report.';

/** A report as it is stored, without the address of its sender. */
export interface StoredReport extends FileReport {
  /** The id of the file. */
  id: string;
  /** Ms since 1970. */
  at: number;
}

interface ReportsOptions {
  records: Records;
  /** Wall clock, ms since 1970. */
  now: () => number;
  report: Report;
}

/** Creates the use case of reporting a file. */
export function createReports({ records, now, report }: ReportsOptions) {
  let counted = { reports: 0, at: Number.NEGATIVE_INFINITY };

  async function hasSpace(): Promise<boolean> {
    const at = now();
    if (Math.abs(at - counted.at) >= COUNT_TTL_MS) {
      counted = { reports: (await reportNames(records)).length, at };
    }
    return counted.reports < MAX_IN_ALL;
  }

  async function store(content: StoredReport): Promise<void> {
    const name = `${PREFIX}${content.id}.${content.at.toString(36)}-${randomBytes(4).toString('hex')}`;
    await records.put(name, Buffer.from(JSON.stringify(content)));
    counted.reports += 1;
  }

  return {
    /** Logs a report of an existing file, and stores it if there is space. */
    async add(id: string, { reason, note }: FileReport): Promise<void> {
      const { length: earlier } = await reportNames(records, id);
      if (earlier >= MAX_OF_FILE) return;
      const isStored = await hasSpace();
      if (isStored) await store({ id, reason, note, at: now() });
      report({ type: 'file-reported', id, reason, note: excerpt(note, MAX_LOGGED_NOTE), isStored, earlier });
    },
  };
}

export type Reports = ReturnType<typeof createReports>;

/** The names of all reports, or of those of one file. */
export async function reportNames(records: Records, id?: string): Promise<string[]> {
  return Array.fromAsync(records.list(id === undefined ? PREFIX : `${PREFIX}${id}.`));
}

/** Returns the id of the reported file, from the name of a report. */
export function reportedId(name: string): string {
  return name.slice(PREFIX.length).split('.')[0] ?? '';
}

/** Undefined when it is gone or cannot be read. */
export async function readReport(records: Records, name: string): Promise<StoredReport | undefined> {
  const content = await records.get(name);
  try {
    // `add` alone writes such records.
    return content && (JSON.parse(content.toString()) as StoredReport);
  } catch {
    return undefined;
  }
}

/** Removes the reports of a file. */
export async function forgetReports(records: Records, id: string): Promise<void> {
  await records.remove(await reportNames(records, id));
}

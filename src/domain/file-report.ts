/** Why somebody reports a file, in the order of the form. */
export const REPORT_REASONS = ['illegal', 'malware', 'copyright', 'privacy', 'spam', 'other'] as const;

export type ReportReason = (typeof REPORT_REASONS)[number];

/** The longest note, in code points. */
export const MAX_NOTE_LENGTH = 2_000;

/** What somebody says about a file. */
export interface FileReport {
  reason: ReportReason;
  /** As it was sent, not cleaned. */
  note: string;
}

export function isReportReason(value: unknown): value is ReportReason {
  return REPORT_REASONS.some((reason) => reason === value);
}

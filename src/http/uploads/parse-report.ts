import { AppError } from '../../domain/errors.ts';
import {
  type FileReport,
  isReportReason,
  MAX_NOTE_LENGTH,
  REPORT_REASONS,
} from '../../domain/file-report.ts';

export const REPORT_TYPES = ['application/json', 'application/x-www-form-urlencoded'] as const;

/** Parses a report, of a form or in JSON. Throws AppError `invalid-request`. */
export function parseReport(type: (typeof REPORT_TYPES)[number], body: string): FileReport {
  const { reason, note = '' } = type === 'application/json' ? parseJson(body) : parseForm(body);
  if (!isReportReason(reason)) throw invalid(`reason must be one of ${REPORT_REASONS.join(', ')}`);
  if (typeof note !== 'string') throw invalid('note must be a text');
  // A browser sends each line end of a text area as two characters.
  const text = note.replaceAll('\r\n', '\n').toWellFormed();
  if ([...text].length <= MAX_NOTE_LENGTH) return { reason, note: text };
  throw invalid(`note may have ${MAX_NOTE_LENGTH} characters at most; yours has ${[...text].length}`);
}

interface Fields {
  reason?: unknown;
  note?: unknown;
}

function parseJson(body: string): Fields {
  try {
    const value: unknown = JSON.parse(body);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch {
    // Refused below.
  }
  throw invalid('send a JSON object with the reason and, if you like, a note');
}

function parseForm(body: string): Fields {
  const fields = new URLSearchParams(body);
  if (['reason', 'note'].some((name) => fields.getAll(name).length > 1))
    throw invalid('reason and note may be given once each');
  return { reason: fields.get('reason'), note: fields.get('note') ?? '' };
}

function invalid(message: string): AppError {
  return new AppError('invalid-request', message);
}

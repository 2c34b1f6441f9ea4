import { displayName } from '../domain/file-name.ts';
import { excerpt } from '../domain/text.ts';
import { formatSize } from '../domain/units.ts';
import type { UploadDescription } from '../domain/upload.ts';
import type { StoredReport } from '../uploads/moderation/reports.ts';
import { formatTable } from './table.ts';
import type { ListedFile } from './uploads-list.ts';

/** Tables have texts of uploaders cut, and without characters that act on a terminal. JSON has them whole. */
const NAME_WIDTH = 40;
const NOTE_WIDTH = 60;

/** Formats ms since 1970. */
type FormatTime = (ms: number) => string;

/** A file as JSON, without secrets: not even the hash of the key that deletes the file. */
export function presentFile(id: string, description: UploadDescription) {
  const { originalname, size, mediaType, sha256, address = '', uploadedAt, expiresAt } = description;
  return {
    id,
    name: originalname,
    size,
    type: mediaType,
    sha256,
    address,
    uploadedAt: new Date(uploadedAt).toISOString(),
    expiresAt: new Date(expiresAt).toISOString(),
  };
}

export function presentReport({ id, reason, note, at }: StoredReport) {
  return { id, reason, note, at: new Date(at).toISOString() };
}

export function formatFiles(files: readonly ListedFile[], formatTime: FormatTime): string {
  if (files.length === 0) return 'There are no such files.';
  const rows = files.map(({ id, description, reports }) => [
    id,
    formatSize(description.size),
    excerpt(description.mediaType, NAME_WIDTH),
    description.address ?? '',
    formatTime(description.uploadedAt),
    String(reports),
    excerpt(displayName(description.originalname), NAME_WIDTH),
  ]);
  return formatTable(['ID', 'SIZE', 'TYPE', 'ADDRESS', 'UPLOADED', 'REPORTS', 'NAME'], rows);
}

export function formatFile(
  id: string,
  description: UploadDescription,
  reports: readonly StoredReport[],
  formatTime: FormatTime,
): string {
  const { size, mediaType, sha256, address = '' } = description;
  const facts = [
    ['id', id],
    ['name', displayName(description.originalname)],
    ['size', `${formatSize(size)} (${size} bytes)`],
    ['type', `${mediaType}, sent as ${excerpt(description.mimetype, NAME_WIDTH)}`],
    ['sha256', sha256],
    ['address', address],
    ['uploaded', formatTime(description.uploadedAt)],
    ['expires', formatTime(description.expiresAt)],
  ];
  const lines = facts.map(([name = '', value = '']) => `${name.padEnd(10)}${value}`);
  return [...lines, '', formatReports(reports, formatTime)].join('\n');
}

export function formatReports(reports: readonly StoredReport[], formatTime: FormatTime): string {
  if (reports.length === 0) return 'There are no reports.';
  const rows = reports.map(({ id, reason, note, at }) => [
    id,
    formatTime(at),
    reason,
    excerpt(note, NOTE_WIDTH),
  ]);
  return formatTable(['ID', 'REPORTED', 'REASON', 'NOTE'], rows);
}

import { displayName } from '../domain/file-name.ts';
import { excerpt } from '../domain/text.ts';
import { formatSize } from '../domain/units.ts';
import type { UploadDescription } from '../domain/upload.ts';
import type { ListedFile } from '../uploads/moderation/list-files.ts';
import type { StoredReport } from '../uploads/moderation/reports.ts';
import { formatTable } from './table.ts';

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

export function presentListed({ id, description, reports }: ListedFile) {
  return { ...presentFile(id, description), reports };
}

export function presentReport({ id, reason, note, at }: StoredReport) {
  return { id, reason, note, at: new Date(at).toISOString() };
}

export function formatFiles(files: readonly ListedFile[], formatTime: FormatTime): string {
  if (files.length === 0) return 'There are no such files.';
  const rows = files.map(({ id, description, reports }) => [
    id,
    formatSize(description.size),
    description.address ?? '',
    formatTime(description.uploadedAt),
    String(reports),
    excerpt(displayName(description.originalname), NAME_WIDTH),
  ]);
  return formatTable(['ID', 'SIZE', 'ADDRESS', 'UPLOADED', 'REPORTS', 'NAME'], rows);
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

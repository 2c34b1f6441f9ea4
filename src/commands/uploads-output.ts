import { displayName } from '../domain/file-name.ts';
import { excerpt } from '../domain/text.ts';
import { formatSize, toIso } from '../domain/units.ts';
import type { UploadDescription } from '../domain/upload.ts';
import { expiryOf, type UploadId } from '../domain/upload-id.ts';
import type { StoredCollection } from '../uploads/collections/collection-store.ts';
import type { StoredReport } from '../uploads/moderation/reports.ts';
import { formatTable } from './table.ts';

/** A collection as JSON. Its files can be shown and removed by their ids. Times are in ISO 8601. */
export interface PresentedCollection {
  id: string;
  type: 'collection';
  address: string;
  createdAt: string;
  expiresAt: string;
  files: readonly string[];
}

/** A file as JSON, without secrets: not even the hash of the key that deletes the file. Times are in ISO 8601. */
export interface PresentedFile {
  id: string;
  name: string;
  size: number;
  type: string;
  /** What its sender called it. */
  sentAs: string;
  sha256: string;
  /** Empty where an older version has stored the file. */
  address: string;
  uploadedAt: string;
  expiresAt: string;
}

export interface PresentedReport {
  id: string;
  reason: string;
  note: string;
  at: string;
}

/** Shows the same to people. Texts of uploaders are cut, and have no characters that act on a terminal. */
export interface UploadFormats {
  formatFiles(files: readonly (PresentedFile & { reports: number })[]): string;
  formatCollection(collection: PresentedCollection, reports: readonly PresentedReport[]): string;
  formatFile(file: PresentedFile, reports: readonly PresentedReport[]): string;
  formatReports(reports: readonly PresentedReport[]): string;
}

export function presentCollection({
  id,
  files,
  address,
  createdAt,
}: StoredCollection & { id: UploadId }): PresentedCollection {
  return {
    id,
    type: 'collection',
    address,
    createdAt: toIso(createdAt),
    expiresAt: toIso(expiryOf(id)),
    files,
  };
}

export function presentFile(id: string, description: UploadDescription): PresentedFile {
  const {
    originalname,
    size,
    mediaType,
    mimetype,
    sha256,
    address = '',
    uploadedAt,
    expiresAt,
  } = description;
  return {
    id,
    name: originalname,
    size,
    type: mediaType,
    sentAs: mimetype,
    sha256,
    address,
    uploadedAt: toIso(uploadedAt),
    expiresAt: toIso(expiresAt),
  };
}

export function presentReport({ id, reason, note, at }: StoredReport): PresentedReport {
  return { id, reason, note, at: toIso(at) };
}

export function createFormats(formatTime: (ms: number) => string): UploadFormats {
  const formatIso = (time: string) => formatTime(Date.parse(time));
  const cellsOf = <File extends PresentedFile>(file: File) => ({
    ...file,
    name: excerpt(displayName(file.name), 40),
    size: formatSize(file.size),
    type: excerpt(file.type, 40),
    sentAs: excerpt(file.sentAs, 40),
    uploadedAt: formatIso(file.uploadedAt),
    expiresAt: formatIso(file.expiresAt),
  });

  function formatReports(reports: readonly PresentedReport[]): string {
    if (reports.length === 0) return 'There are no reports.';
    const rows = reports.map((one) => ({ ...one, at: formatIso(one.at), note: excerpt(one.note, 60) }));
    return formatTable(['id', 'at', 'reason', 'note'], rows);
  }

  return {
    formatReports,
    formatFiles(files) {
      if (files.length === 0) return 'There are no such files.';
      const columns = ['id', 'size', 'type', 'address', 'uploadedAt', 'reports', 'name'] as const;
      return formatTable(columns, files.map(cellsOf));
    },
    formatCollection(collection, reports) {
      const { files, createdAt, expiresAt, ...rest } = collection;
      const shown = { ...rest, createdAt: formatIso(createdAt), expiresAt: formatIso(expiresAt) };
      const lines = Object.entries(shown).map(([name, value]) => `${name.padEnd(12)}${value}`);
      return [...lines, 'files', ...files.map((file) => `  ${file}`), '', formatReports(reports)].join('\n');
    },
    formatFile(file, reports) {
      const lines = Object.entries(cellsOf(file)).map(([name, value]) => `${name.padEnd(12)}${value}`);
      return [...lines, '', formatReports(reports)].join('\n');
    },
  };
}

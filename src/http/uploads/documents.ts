import { formatSize } from '../../domain/units.ts';
import { renderDropPage } from '../../pages/drop.ts';
import { PAGE_POLICY } from '../../pages/layout.ts';
import { createDocument, type Documents } from '../../publishing/document.ts';
import type { DocumentSource } from '../send-document.ts';

interface UploadDocumentsOptions {
  /** Public origin of the uploads. */
  url: string;
  maxBytes: number;
  ttlMs: number;
  /** Documents that every origin has. */
  site: Documents;
  /** Wall clock, ms since 1970. */
  now: () => number;
}

export const UPLOAD_DOCUMENT_PATHS = ['/', '/sharex.sxcu'];

/** The static documents of the upload origin: its front page, a configuration for ShareX, and assets. */
export function uploadDocuments({ url, maxBytes, ttlMs, site, now }: UploadDocumentsOptions): DocumentSource {
  const changedAt = now();
  const page = renderDropPage({
    uploadUrl: url,
    maxBytes,
    maxSize: formatSize(maxBytes),
    longest: formatDuration(ttlMs),
  });
  const shareX = JSON.stringify(shareXConfiguration(url), null, 2);
  const documents = new Map([
    ['/', createDocument('text/html; charset=utf-8', page, changedAt, { headers: PAGE_HEADERS })],
    ['/sharex.sxcu', createDocument('application/json; charset=utf-8', shareX, changedAt)],
  ]);
  const headers = ['X-Content-Type-Options', 'nosniff'];
  return { find: (path) => documents.get(path) ?? site.get(path), headers: () => headers, now };
}

const PAGE_HEADERS = ['Content-Security-Policy', PAGE_POLICY, 'Referrer-Policy', 'no-referrer'];

/** https://getsharex.com/docs/custom-uploader */
function shareXConfiguration(url: string) {
  return {
    Version: '14.0.0',
    Name: `Tayang (${new URL(url).host})`,
    DestinationType: 'ImageUploader, TextUploader, FileUploader',
    RequestMethod: 'POST',
    RequestURL: `${url}/upload`,
    Body: 'MultipartFormData',
    FileFormName: 'file',
    URL: '{json:result.url_file}',
    DeletionURL: '{header:X-Delete-Url}',
    ErrorMessage: '{json:message}',
  };
}

/** `86400000` → `24 hours`. */
function formatDuration(ms: number): string {
  const [unit, size] = (
    [
      ['days', 86_400_000],
      ['hours', 3_600_000],
      ['minutes', 60_000],
    ] as const
  ).find(([, size]) => ms >= 2 * size) ?? ['seconds', 1_000];
  return `${Math.round((ms / size) * 10) / 10} ${unit}`;
}

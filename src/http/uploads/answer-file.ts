import { create as createDisposition } from 'content-disposition';
import type { UploadDescription } from '../../domain/upload.ts';
import { shownName } from '../../uploads/file-name.ts';
import { BINARY, isInline } from '../../uploads/media-type.ts';
import type { ByteRange } from '../../uploads/storage.ts';
import { parseRange } from '../byte-range.ts';
import { checkPreconditions, isSameRange, type Preconditions } from '../preconditions.ts';

export interface FileConditions extends Preconditions {
  range?: string | undefined;
  'if-range'?: string | undefined;
}

export interface FileAnswer {
  status: 200 | 206 | 304 | 412 | 416;
  headers: Record<string, string>;
  /** The bytes to send, undefined for none; GET only. */
  range: ByteRange | undefined;
}

/** What keeps a stranger's file from being anything but bytes, whatever it holds. */
const DEFENCES = {
  'X-Content-Type-Options': 'nosniff',
  // Chromium shows a film or a song in a page of its own, which this policy applies to.
  'Content-Security-Policy': "default-src 'none'; sandbox; media-src 'self'",
  'Cross-Origin-Resource-Policy': 'cross-origin',
  'Referrer-Policy': 'no-referrer',
};

/**
 * What to send of a stored file: the one place for ranges and conditional requests of files. Pure. A range is for GET
 * only (RFC 9110, section 14.2).
 */
export function answerFile(
  description: UploadDescription,
  conditions: FileConditions,
  method = 'GET',
): FileAnswer {
  const { size, sha256, uploadedAt } = description;
  const etag = `"${sha256}"`;
  const validators = {
    ...DEFENCES,
    ETag: etag,
    'Last-Modified': new Date(uploadedAt).toUTCString(),
    // The address ends when it ends, and may be deleted before: whoever keeps a copy has to ask.
    'Cache-Control': 'no-cache',
  };
  const current = { changedAt: uploadedAt, variants: [{ etag }] };
  const verdict = checkPreconditions(conditions, current);
  if (verdict === 'failed') return { status: 412, headers: DEFENCES, range: undefined };
  if (verdict === 'not-modified') return { status: 304, headers: validators, range: undefined };

  const headers = { ...validators, ...presentContent(description), 'Accept-Ranges': 'bytes' };
  const { range: asked = '', 'if-range': ifRange } = conditions;
  const isAsked = method === 'GET' && (ifRange === undefined || isSameRange(ifRange, current));
  const range = isAsked ? parseRange(asked, size) : undefined;
  if (range === 'unsatisfiable') {
    return { status: 416, headers: { ...DEFENCES, 'Content-Range': `bytes */${size}` }, range: undefined };
  }
  if (!range) {
    const whole = size > 0 ? { start: 0, end: size - 1 } : undefined;
    return { status: 200, headers: { ...headers, 'Content-Length': String(size) }, range: whole };
  }
  const { start, end } = range;
  const part = {
    'Content-Range': `bytes ${start}-${end}/${size}`,
    'Content-Length': String(end - start + 1),
  };
  return { status: 206, headers: { ...headers, ...part }, range };
}

function presentContent({ mediaType, originalname }: UploadDescription): Record<string, string> {
  const type = isInline(mediaType) ? 'inline' : 'attachment';
  return {
    'Content-Type': isInline(mediaType) ? mediaType : BINARY,
    'Content-Disposition': createDisposition(shownName(originalname), { type }),
  };
}

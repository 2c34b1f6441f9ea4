import type { IncomingMessage } from 'node:http';
import { create as createDisposition } from 'content-disposition';
import { asciiName, displayName } from '../../domain/file-name.ts';
import type { UploadDescription } from '../../domain/upload.ts';
import { BINARY, servedType } from '../../uploads/media-type.ts';
import type { ByteRange } from '../../uploads/storage.ts';
import { isNotModified, isSameRange } from '../preconditions.ts';

interface ContentHeaders {
  'Content-Type': string;
  'Content-Disposition': string;
}

/** Headers of every answer about a file, that keep a browser from running it, whatever it contains. */
export const SECURITY_HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  // Chromium plays a video or a song in a page of its own, to which this policy applies.
  'Content-Security-Policy': "default-src 'none'; sandbox; media-src 'self'",
  'Cross-Origin-Resource-Policy': 'cross-origin',
  'Referrer-Policy': 'no-referrer',
};

/**
 * Decides what to send of a stored file: ranges and conditional requests of files are handled here only. `now` is in ms
 * since 1970. The `range` of the answer are the bytes to send; undefined when it has no body. A range of the request applies
 * to GET only (RFC 9110, section 14.2). Throws AppError `precondition-failed`.
 */
export function answerFile(
  description: UploadDescription,
  { method, headers: conditions }: IncomingMessage,
  now: number,
) {
  const { size, sha256, uploadedAt } = description;
  const etag = `"${sha256}"`;
  // The clock may have been set back since; RFC 9110, section 8.8.2.1, forbids a date in the future.
  const changedAt = Math.min(uploadedAt, now);
  const validators = {
    ETag: etag,
    'Last-Modified': new Date(changedAt).toUTCString(),
    // A file can be deleted before it expires, so a cache has to revalidate its copy.
    'Cache-Control': 'no-cache',
    // Keeps the file out of search engines; its page says the same in its markup.
    'X-Robots-Tag': 'noindex',
  };
  const current = { changedAt, variants: [{ etag }] };
  const isKnown = isNotModified(conditions, current);
  const content = presentContent(description);
  if (isKnown) {
    const headers = { ...validators, 'Content-Type': content['Content-Type'] };
    return { status: 304, headers, range: undefined };
  }
  const headers = { ...validators, ...content, 'Accept-Ranges': 'bytes' };
  const { range: requested = '', 'if-range': ifRange } = conditions;
  const isRanged = method === 'GET' && (ifRange === undefined || isSameRange(String(ifRange), current));
  const range = isRanged ? parseRangeHeader(requested, size) : undefined;
  if (range === 'unsatisfiable') {
    return { status: 416, headers: { 'Content-Range': `bytes */${size}` }, range: undefined };
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

/** What has been worked out of the descriptions that stay in memory, because their files are asked for often. */
const presented = new WeakMap<UploadDescription, ContentHeaders>();

/** As what a file is sent, whatever its sender called it. */
export function presentContent(description: UploadDescription): ContentHeaders {
  const known = presented.get(description);
  if (known) return known;
  const { mediaType, originalname } = description;
  const served = servedType(mediaType);
  const type = served === BINARY ? 'attachment' : 'inline';
  const name = displayName(originalname);
  const ascii = asciiName(name);
  // An ASCII name needs no fallback, unless some clients would decode it.
  const fallback = ascii === name || ascii;
  const headers = {
    'Content-Type': served,
    'Content-Disposition': createDisposition(name, { type, fallback }),
  };
  presented.set(description, headers);
  return headers;
}

/**
 * Parses a Range header into one range of bytes of a file; `unsatisfiable` when it begins behind the end. Undefined for
 * several ranges and for anything malformed: RFC 9110 lets a server ignore those and send the whole file.
 */
function parseRangeHeader(range: string, size: number): ByteRange | 'unsatisfiable' | undefined {
  const [, first = '', last = ''] = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/iu.exec(range) ?? [];
  if (first === '' && last === '') return undefined;
  if (first !== '' && last !== '' && Number(last) < Number(first)) return undefined;
  // `bytes=-N` are the last N bytes.
  const start = first === '' ? size - Math.min(Number(last), size) : Number(first);
  const end = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1);
  return start < size ? { start, end } : 'unsatisfiable';
}

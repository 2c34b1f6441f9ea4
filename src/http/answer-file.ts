import { create as createDisposition } from 'content-disposition';
import type { UploadDescription } from '../domain/upload.ts';
import { shownName } from '../uploads/file-name.ts';
import { BINARY, isInline } from '../uploads/media-type.ts';
import type { ByteRange } from '../uploads/storage.ts';

export interface FileConditions {
  range?: string | undefined;
  'if-range'?: string | undefined;
  'if-none-match'?: string | undefined;
}

export interface FileAnswer {
  status: 200 | 206 | 304 | 416;
  headers: Record<string, string>;
  /** The bytes to send, undefined for none; GET only. */
  range: ByteRange | undefined;
}

/** What keeps a stranger's file from being anything but bytes, whatever it holds. */
const DEFENCES = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; sandbox",
  'Cross-Origin-Resource-Policy': 'cross-origin',
  'Referrer-Policy': 'no-referrer',
};

/** What to send of a stored file: the one place for ranges and conditional requests of files. Pure. */
export function answerFile(description: UploadDescription, conditions: FileConditions): FileAnswer {
  const { size, sha256, uploadedAt } = description;
  const etag = `"${sha256}"`;
  const validators = {
    ...DEFENCES,
    ETag: etag,
    'Last-Modified': new Date(uploadedAt).toUTCString(),
    // The address ends when it ends, and may be deleted before: whoever keeps a copy has to ask.
    'Cache-Control': 'no-cache',
  };
  if (isKnown(etag, conditions['if-none-match']))
    return { status: 304, headers: validators, range: undefined };

  const headers = { ...validators, ...presentContent(description), 'Accept-Ranges': 'bytes' };
  const asked = isSame(etag, uploadedAt, conditions['if-range']) ? conditions.range : undefined;
  const range = parseRange(asked ?? '', size);
  if (range === 'beyond') {
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

/** One range of bytes. Several, or what is none, is as good as not asked for: the whole is always a right answer. */
function parseRange(text: string, size: number): ByteRange | 'beyond' | undefined {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/iu.exec(text.replace(/\s/gu, '')) ?? [];
  if (first === '' && last === '') return undefined;
  if (first === '')
    return Number(last) === 0 || size === 0
      ? 'beyond'
      : { start: Math.max(0, size - Number(last)), end: size - 1 };
  if (last !== '' && Number(last) < Number(first)) return undefined;
  if (Number(first) >= size) return 'beyond';
  return { start: Number(first), end: Math.min(last === '' ? size - 1 : Number(last), size - 1) };
}

function presentContent({ mediaType, originalname }: UploadDescription): Record<string, string> {
  const type = isInline(mediaType) ? 'inline' : 'attachment';
  return {
    'Content-Type': isInline(mediaType) ? mediaType : BINARY,
    'Content-Disposition': createDisposition(shownName(originalname), { type }),
  };
}

function isKnown(etag: string, ifNoneMatch: string | undefined): boolean {
  if (ifNoneMatch === undefined) return false;
  return ifNoneMatch.trim() === '*' || (ifNoneMatch.match(/"[^"]*"/gu)?.includes(etag) ?? false);
}

/** A range continues what the client has only if that is still the same; a weak tag does not tell. */
function isSame(etag: string, uploadedAt: number, ifRange: string | undefined): boolean {
  if (ifRange === undefined || ifRange === etag) return true;
  return Date.parse(ifRange) === Math.floor(uploadedAt / 1_000) * 1_000;
}

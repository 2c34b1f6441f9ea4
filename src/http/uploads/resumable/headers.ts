import type { Context } from 'koa';
import { AppError } from '../../../domain/errors.ts';
import { cleanFileName } from '../../../uploads/file-name.ts';
import type { Checksum } from '../../../uploads/resumable/receive-piece.ts';

/** Content type of the bytes of an upload. */
export const OFFSET_STREAM = 'application/offset+octet-stream';
/** The algorithms of `Upload-Checksum`, with the lengths of their digests. */
export const DIGEST_BYTES = { sha1: 20, sha256: 32 } as const;

const MAX_METADATA_LENGTH = 4_096;
const MAX_TYPE_LENGTH = 255;
const WHOLE_NUMBER = /^(?:0|[1-9]\d{0,14})$/u;
const METADATA_PAIR = /^(?<key>[!-+\--~]+)(?: (?<value>[A-Za-z0-9+/]*={0,2}))?$/u;

interface Metadata {
  /** The header as it was sent. */
  metadata: string;
  originalname: string;
  mimetype: string;
}

/** Parses `Upload-Length` or `Upload-Offset`. A header that was sent twice is not a number. */
export function parseCount(ctx: Context, name: 'Upload-Length' | 'Upload-Offset'): number {
  const text = ctx.get(name);
  if (WHOLE_NUMBER.test(text)) return Number(text);
  throw invalid(`send ${name} once, as a whole number of bytes in decimal digits`);
}

/** Parses `Upload-Checksum`: `sha1` or `sha256`, a space, and the digest in Base64. Undefined when there is none. */
export function parseChecksum(ctx: Context): Checksum | undefined {
  const text = ctx.get('Upload-Checksum');
  if (text === '') return undefined;
  const [, algorithm, base64 = ''] = /^(sha1|sha256) ([A-Za-z0-9+/]+={0,2})$/u.exec(text) ?? [];
  const digest = Buffer.from(base64, 'base64');
  const isKnown = algorithm === 'sha1' || algorithm === 'sha256';
  if (isKnown && digest.length === DIGEST_BYTES[algorithm]) return { algorithm, digest };
  throw invalid('Upload-Checksum must be sha1 or sha256, a space, and the digest in Base64');
}

/** Parses `Upload-Metadata`: `filename` and `filetype` are used, other keys are only repeated. */
export function parseMetadata(ctx: Context): Metadata {
  const metadata = ctx.get('Upload-Metadata');
  if (metadata.length > MAX_METADATA_LENGTH)
    throw invalid(`Upload-Metadata may have up to ${MAX_METADATA_LENGTH} characters`);
  const pairs = metadata === '' ? [] : metadata.split(',').map(parsePair);
  const values = new Map(pairs);
  if (values.size < pairs.length) throw invalid('Upload-Metadata must not name a key twice');
  const originalname = cleanFileName(values.get('filename') ?? '') || 'file';
  const filetype = values.get('filetype') ?? '';
  const isType = /^[!-~]+\/[!-~]+(?:;[ -~]*)?$/u.test(filetype) && filetype.length <= MAX_TYPE_LENGTH;
  return { metadata, originalname, mimetype: isType ? filetype : 'application/octet-stream' };
}

function parsePair(text: string): [key: string, value: string] {
  const { key, value = '' } = METADATA_PAIR.exec(text.trim())?.groups ?? {};
  if (key !== undefined) return [key, Buffer.from(value, 'base64').toString()];
  throw invalid('Upload-Metadata must be pairs of a key and a value in Base64, separated by commas');
}

function invalid(message: string): AppError {
  return new AppError('invalid-request', message);
}

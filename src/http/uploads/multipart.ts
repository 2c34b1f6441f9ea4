import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import busboy from 'busboy';
import { AppError } from '../../domain/errors.ts';
import type { SenderClaims } from '../../uploads/publish.ts';
import { cutOff } from '../read-small-body.ts';
import { createDelimiterFilter } from './delimiter-filter.ts';

const MAX_FIELD_BYTES = 1024;
const MAX_NAME_LENGTH = 64;
/** Without limits, one request of many fields keeps the process busy for a second. Those of parts and sizes are met when reached. */
const LIMITS = { files: 8, fields: 8, parts: 10, fieldSize: MAX_FIELD_BYTES + 1, headerPairs: 32 };

/** 1 to 70 characters of RFC 2046. In quotes, all but the last may be spaces. */
const BOUNDARY =
  /;\s*boundary=\s*(?:"(?<quoted>[0-9a-z'()+_,\-./:=? ]{0,69}[0-9a-z'()+_,\-./:=?])"|(?<plain>[0-9a-z'()+_,\-./:=?]{1,70}))\s*(?:;|$)/iu;

/** Parses the boundary of a Content-Type; undefined when there is none, an invalid one, or several. */
export function parseBoundary(contentType: string): string | undefined {
  const names = contentType.match(/boundary\s*=/giu) ?? [];
  const { quoted, plain } = BOUNDARY.exec(contentType)?.groups ?? {};
  return names.length === 1 ? (quoted ?? plain) : undefined;
}

/** Stages a file of a body: reads the stream to its end. Files that follow each other may overlap. */
export type Stage = (stream: Readable, field: string) => Promise<void>;

/** What the sender claims about the files, in their order, and the text fields; a repeated name has a list. */
interface MultipartUpload {
  files: SenderClaims[];
  fields: Record<string, unknown>;
}

/**
 * Reads a multipart body and passes its files to `stage`. Resolves when the whole request has arrived and all files are
 * staged. Rejects as soon as the request is known to fail, or when `aborted` does; the rest of the body is dropped then.
 */
export async function readMultipart(
  request: IncomingMessage,
  stage: Stage,
  aborted: Promise<never>,
): Promise<MultipartUpload> {
  const boundary = parseBoundary(request.headers['content-type'] ?? '') ?? '';
  const filter = createDelimiterFilter(boundary);
  // The parser reads the same boundary as the filter, also one that was sent without quotes.
  const headers = { 'content-type': `multipart/form-data; boundary="${boundary}"` };
  const parser = busboy({ headers, limits: LIMITS, defParamCharset: 'utf8' });
  const { promise: failed, reject: fail } = Promise.withResolvers<never>();
  const { promise: parsed, resolve: end } = Promise.withResolvers<void>();
  const files: SenderClaims[] = [];
  const fields: Record<string, unknown> = Object.create(null);
  const staging: Promise<void>[] = [];

  function attempt(step: () => void): void {
    try {
      step();
    } catch (error) {
      fail(error);
    }
  }

  parser
    .on('file', (name, stream, { filename, encoding, mimeType: mimetype }) => {
      // What it fails with is told by whoever stages it, or by the parser.
      stream.on('error', () => {});
      // Bytes, or a field that was left empty, are no file without its name.
      if (!filename) return void stream.resume();
      if (isTooLong(name)) return fail(tooMuch());
      files.push({ originalname: decodeName(filename), encoding, mimetype });
      const staged = stage(stream, decodeName(name));
      staging.push(staged.catch((error) => fail(error === stream.errored ? malformed(error) : error)));
    })
    .on('field', (name, value, { valueTruncated }) => {
      if (valueTruncated || isTooLong(name)) return fail(tooMuch());
      fields[name] = name in fields ? [fields[name], value].flat() : value;
    })
    .on('filesLimit', () => fail(invalid('there are too many files in this request; send fewer')))
    .on('fieldsLimit', () => fail(tooMuch()))
    .on('partsLimit', () => fail(tooMuch()))
    .on('error', (error) => fail(malformed(error)))
    .on('close', end);

  const resume = () => void request.resume();
  const onEnd = () => attempt(() => parser.end(filter.end()));
  const onClose = () => request.readableEnded || fail(cutOff());

  function onData(chunk: Buffer): void {
    attempt(() => {
      for (const part of filter.push(chunk)) parser.write(part);
    });
    if (!parser.writableNeedDrain) return;
    request.pause();
    parser.once('drain', resume);
  }

  if (request.destroyed) onClose();
  request.on('data', onData).once('end', onEnd).once('close', onClose);
  try {
    await Promise.race([failed, aborted, parsed.then(() => Promise.all(staging))]);
    return { files, fields };
  } finally {
    request.off('data', onData).off('end', onEnd).off('close', onClose);
    parser.destroy();
  }
}

/** A name that is missing is as wrong as one that is too long. */
function isTooLong(name: string | undefined): boolean {
  return name === undefined || name.length > MAX_NAME_LENGTH;
}

/** Decodes how browsers write quotes and line ends in names (HTML, multipart/form-data); no other %XX is one of theirs. */
function decodeName(name: string): string {
  return name.replace(/%(?:22|0d|0a)/giu, decodeURIComponent);
}

function tooMuch(): AppError {
  return invalid('there are too many fields beside the file, or too long ones; send the file alone');
}

function malformed(cause: unknown): AppError {
  const message = 'the multipart body is malformed, or was cut off';
  return new AppError('invalid-request', message, { cause });
}

function invalid(message: string): AppError {
  return new AppError('invalid-request', message);
}

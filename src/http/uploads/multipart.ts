import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import multer from '@koa/multer';
import type { Context } from 'koa';
import { AppError, invalidRequest } from '../../domain/errors.ts';
import type { SenderClaims } from '../../uploads/publish.ts';
import { readBody } from '../request-body.ts';
import { createDelimiterFilter, type PartNames } from './delimiter-filter.ts';
import { decodeFileName } from './sent-file-name.ts';

/** Without these limits, one request of many or deeply nested fields keeps the process busy for a second. */
const OPTIONS = {
  defParamCharset: 'utf8',
  limits: {
    files: 8,
    fields: 8,
    parts: 9,
    fieldSize: 1024,
    fieldNameSize: 64,
    headerPairs: 32,
    fieldNestingDepth: 0,
    fieldArrayIndexLimit: 0,
  },
};

/** Stages a file of a body: reads the stream to its end. Files that follow each other may overlap. */
export type Stage = (stream: Readable, field: string) => Promise<void>;

interface MulterFile extends SenderClaims {
  fieldname: string;
  stream: Readable;
}

/** What the sender claims about the files, in their order, and the text fields; a repeated name has a list. */
interface MultipartUpload {
  files: SenderClaims[];
  fields: Record<string, unknown>;
}

/** 1 to 70 characters of RFC 2046. In quotes, all but the last may be spaces. */
const BOUNDARY =
  /;\s*boundary=\s*(?:"(?<quoted>[0-9a-z'()+_,\-./:=? ]{0,69}[0-9a-z'()+_,\-./:=?])"|(?<plain>[0-9a-z'()+_,\-./:=?]{1,70}))\s*(?:;|$)/iu;

/** Parses the boundary of a Content-Type; undefined when there is none, an invalid one, or several. */
export function parseBoundary(contentType: string): string | undefined {
  const names = contentType.match(/boundary\s*=/giu) ?? [];
  const { quoted, plain } = BOUNDARY.exec(contentType)?.groups ?? {};
  return names.length === 1 ? (quoted ?? plain) : undefined;
}

/**
 * Reads a multipart body and passes its files to `stage`. Resolves when the whole request has arrived: multer
 * considers a file done at the end of its part, when the request can still fail. Rejects as soon as the request is
 * known to fail; multer would wait for the rest of the body. `reserve` is called with the number of bytes that have arrived, and
 * refuses by throwing or rejecting. `fileFields`: the fields that may have a file, the usual one first. Throws AppError
 * `invalid-request` when none has.
 */
export async function readMultipart(
  ctx: Context,
  stage: Stage,
  reserve: (arrivedBytes: number) => Promise<void> | undefined,
  fileFields: readonly string[],
): Promise<MultipartUpload> {
  const { promise: failed, reject: fail } = Promise.withResolvers<never>();
  const engine = createMulterEngine(stage, fail);
  const boundary = parseBoundary(ctx.get('Content-Type')) ?? '';
  // So the parser reads the same boundary as the filter before it, and accepts one that was sent without quotes.
  ctx.req.headers['content-type'] = `multipart/form-data; boundary="${boundary}"`;
  const stopping = new AbortController();
  const filter = createDelimiterFilter(boundary);

  /** Passes the body through a delimiter filter to the parser, as fast as that reads it. */
  async function feed(parser: Writable): Promise<void> {
    const { signal } = stopping;
    // A parser that is destroyed destroys all streams that it has opened.
    signal.addEventListener('abort', () => void parser.destroy());
    let arrivedBytes = 0;
    for await (const chunk of readBody(ctx, signal)) {
      arrivedBytes += chunk.length;
      reserve(arrivedBytes)?.catch(fail);
      for (const part of filter.push(chunk)) parser.write(part);
      if (parser.writableNeedDrain) await once(parser, 'drain', { signal });
    }
    try {
      parser.end(filter.end());
    } catch (error) {
      // multer drops the rest of a body whose file cannot be staged: the reason of that says more than the end that is missing.
      parser.destroy();
      await engine.settled();
      throw error;
    }
  }

  const streamHandler = (_request: unknown, parser: Writable) => void feed(parser).catch(fail);
  // multer documents `streamHandler`, which the types of @koa/multer lack.
  const options = { ...OPTIONS, storage: engine.storage, streamHandler };
  const parse = multer(options as Parameters<typeof multer>[0]).any();
  // @koa/multer types the context of a version of Koa of its own.
  const reading = parse(ctx as never, async () => {}).catch(async (error: unknown) => {
    // What staging fails with is the reason why parsing fails, and says more.
    await engine.settled();
    throw error instanceof AppError
      ? error
      : (textForFile(filter.parts, fileFields) ?? translateMulterError(error));
  });
  try {
    await Promise.race([failed, reading]);
  } catch (error) {
    stopping.abort();
    throw error;
  }
  const received: MulterFile[] = Array.isArray(ctx.files) ? (ctx.files as unknown as MulterFile[]) : [];
  if (received.length === 0) throw noFile(filter.parts, fileFields);
  const isExtended = filter.parts.some(({ hasExtendedFileName }) => hasExtendedFileName);
  const files = received.map(({ originalname, encoding, mimetype }) => ({
    originalname: isExtended ? originalname : decodeFileName(originalname, ctx.get('User-Agent')),
    encoding,
    mimetype,
  }));
  // @koa/multer puts the text fields there; its types do not say so.
  const { body: fields = {} } = ctx.request as { body?: Record<string, unknown> };
  return { files, fields };
}

/** AppError `invalid-request` if the file came as text; otherwise undefined. */
function textForFile(parts: readonly PartNames[], fileFields: readonly string[]): AppError | undefined {
  if (parts.some(({ hasFileName }) => hasFileName)) return undefined;
  const text = parts.find(({ field }) => fileFields.includes(field));
  return (
    text &&
    invalidRequest(
      `the field "${text.field}" came as text, without a file name; send it as a file: with curl, ` +
        `write -F '${text.field}=@photo.jpg', with @ and not <`,
    )
  );
}

/** AppError `invalid-request` that says why there is no file. */
function noFile(parts: readonly PartNames[], fileFields: readonly string[]): AppError {
  if (parts.some(({ hasFileName }) => hasFileName))
    return invalidRequest(
      'no file was chosen, or it has no usable name; send a file with a name such as filename="photo.jpg"',
    );
  return textForFile(parts, fileFields) ?? invalidRequest(`send the file in the field "${fileFields[0]}"`);
}

/** Creates a storage engine for multer that stages the files while they arrive. Calls `fail` as soon as one cannot be staged. */
function createMulterEngine(stage: Stage, fail: (error: unknown) => void) {
  const underWay = new Set<Promise<void>>();

  async function stageFile({ fieldname, stream }: MulterFile): Promise<void> {
    try {
      await stage(stream, fieldname);
    } catch (error) {
      fail(error === stream.errored ? translateMulterError(error) : error);
      throw error;
    }
  }

  const storage = {
    _handleFile(_request: unknown, file: MulterFile, done: (error?: unknown) => void) {
      const staging = stageFile(file).finally(() => underWay.delete(staging));
      underWay.add(staging);
      staging.then(() => done(), done);
    },
    /** Does nothing: the receiver of the upload discards it. */
    _removeFile(_request: unknown, _file: MulterFile, done: (error: null) => void) {
      done(null);
    },
  };

  return {
    // The types of multer and @koa/multer disagree about the file of an engine.
    storage: storage as unknown as multer.StorageEngine,
    /** Resolves once staging has ended, with whatever result. */
    settled: () => Promise.allSettled(underWay),
  };
}

/** Translates errors of multer and busboy for the sender. An AppError is returned as it is. */
function translateMulterError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return new AppError('invalid-request', messageFor(code), { cause: error });
}

function messageFor(code: string): string {
  if (code === 'LIMIT_FILE_COUNT' || code === 'LIMIT_UNEXPECTED_FILE')
    return 'there are too many files in this request; send fewer';
  if (code.startsWith('LIMIT_') || code.endsWith('_FIELD_NAME'))
    return 'there are too many fields beside the file, or too long ones; send the file alone';
  return 'the multipart body is malformed, or was cut off';
}

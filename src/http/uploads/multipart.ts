import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import multer from '@koa/multer';
import type { Context } from 'koa';
import { AppError } from '../../domain/errors.ts';
import type { SenderClaims } from '../../uploads/publish.ts';
import { cutOff } from '../read-small-body.ts';
import { createParserInput, parseBoundary } from './parser-input.ts';

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

/**
 * Reads a multipart body and passes its files to `stage`. Resolves when the whole request has arrived: multer
 * considers a file done at the end of its part, when the request can still fail. Rejects as soon as the request is
 * known to fail, or when `aborted` does; multer would wait for the rest of the body.
 */
export async function readMultipart(
  ctx: Context,
  stage: Stage,
  aborted: Promise<never>,
): Promise<MultipartUpload> {
  const { promise: failed, reject: fail } = Promise.withResolvers<never>();
  const engine = createMulterEngine(stage, fail);
  const boundary = parseBoundary(ctx.get('Content-Type')) ?? '';
  // So the parser reads the same boundary as the filter before it, and accepts one that was sent without quotes.
  ctx.req.headers['content-type'] = `multipart/form-data; boundary="${boundary}"`;
  const input = createParserInput(boundary, fail);
  // multer documents `streamHandler`, which the types of @koa/multer lack.
  const options = { ...OPTIONS, storage: engine.storage, streamHandler: input.start };
  const parse = multer(options as Parameters<typeof multer>[0]).any();
  const reading = readBody(ctx, parse).catch(async (error: unknown) => {
    // What staging fails with is the reason why parsing fails, and says more.
    await engine.settled();
    throw translateMulterError(error);
  });
  reading.catch(() => {});
  try {
    return await Promise.race([failed, aborted, reading]);
  } catch (error) {
    input.stop();
    throw error;
  }
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

type Parse = ReturnType<ReturnType<typeof multer>['any']>;

async function readBody(ctx: Context, parse: Parse): Promise<MultipartUpload> {
  if (ctx.req.destroyed) throw cutOff();
  // @koa/multer types the context of a version of Koa of its own.
  await parse(ctx as never, async () => {});
  const files = Array.isArray(ctx.files) ? ctx.files : [];
  await waitForEnd(ctx.req);
  // @koa/multer puts the text fields there; its types do not say so.
  const { body: fields = {} } = ctx.request as { body?: Record<string, unknown> };
  return { files, fields };
}

/** Waits for the end of the body. What follows the last part is dropped. */
async function waitForEnd(request: IncomingMessage): Promise<void> {
  if (request.readableEnded) return;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  request.once('end', resolve).once('close', () => reject(cutOff()));
  if (request.destroyed) reject(cutOff());
  await promise;
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

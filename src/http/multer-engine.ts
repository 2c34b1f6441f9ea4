import type { Readable } from 'node:stream';
import multer from '@koa/multer';
import type { Context } from 'koa';
import { AppError } from '../domain/errors.ts';
import type { Sent, Staged } from '../uploads/receive.ts';

const FIELD = 'file';

/** Without the limits, one request of many or deeply nested fields keeps the process busy for a second. */
const OPTIONS = {
  defParamCharset: 'utf8',
  limits: {
    files: 1,
    fields: 8,
    parts: 9,
    fieldSize: 1024,
    fieldNameSize: 64,
    headerPairs: 32,
    fieldNestingDepth: 0,
    fieldArrayIndexLimit: 0,
  },
};

/** A file of a multipart body; `staged` once it has come whole. */
interface File extends Sent {
  fieldname: string;
  stream: Readable;
  staged?: Staged;
}

/**
 * Reads the one file of a multipart body into `stage`. Resolves when the whole request has parsed: multer calls a
 * file done when its part ends, while the request can still fail. Rejects as soon as it is known that it will, and
 * not, as multer does, when the rest of the body has come; what was staged is discarded then.
 */
export async function readMultipart(
  ctx: Context,
  stage: (stream: Readable) => Promise<Staged>,
): Promise<File & { staged: Staged }> {
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => {});
  const parse = multer({ ...OPTIONS, storage: createEngine(stage, failed.reject) }).any();
  const parsed = parse(ctx as never, async () => {}).catch((error: unknown) => {
    throw explain(error);
  });
  parsed.catch(() => {});
  await Promise.race([parsed, failed.promise]);
  const [file] = (ctx.files ?? []) as unknown as File[];
  if (!file?.staged) throw new AppError('invalid-request', `send one file in the field "${FIELD}"`);
  return { ...file, staged: file.staged };
}

/** multer's and @koa/multer's types disagree about an engine: its file has no more and no less than `File`. */
function createEngine(
  stage: (stream: Readable) => Promise<Staged>,
  fail: (error: unknown) => void,
): multer.StorageEngine {
  const engine = {
    _handleFile(_request: unknown, file: File, done: (error: unknown, info?: Partial<File>) => void) {
      receive(file).then(
        (staged) => done(null, { staged }),
        (error: unknown) => {
          fail(error);
          done(error);
        },
      );
    },
    _removeFile(_request: unknown, file: File, done: (error: unknown) => void) {
      Promise.resolve(file.staged?.discard()).then(() => done(null), done);
    },
  };

  async function receive({ fieldname, stream }: File): Promise<Staged> {
    if (fieldname !== FIELD) {
      throw new AppError(
        'invalid-request',
        `the file must be in the field "${FIELD}", not "${fieldname.slice(0, 64)}"`,
      );
    }
    try {
      return await stage(stream);
    } catch (error) {
      throw error === stream.errored ? explain(error) : error;
    }
  }

  return engine as unknown as multer.StorageEngine;
}

/** What multer and busboy say of a body, in words that tell its sender what to do. */
function explain(error: unknown): unknown {
  const { code = '' } = error as { code?: string };
  if (error instanceof AppError) return error;
  if (code === 'LIMIT_FILE_COUNT' || code === 'LIMIT_UNEXPECTED_FILE') {
    return new AppError('invalid-request', `send exactly one file, in the field "${FIELD}"`, {
      cause: error,
    });
  }
  if (code.startsWith('LIMIT_') || code.endsWith('_FIELD_NAME')) {
    return new AppError('invalid-request', 'there are too many fields beside the file, or too long ones', {
      cause: error,
    });
  }
  return new AppError('invalid-request', 'the multipart body is malformed, or was cut off', { cause: error });
}

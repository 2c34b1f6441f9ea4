import type { IncomingMessage } from 'node:http';
import multer from '@koa/multer';
import type { Context } from 'koa';
import { AppError } from '../../domain/errors.ts';
import type { SenderClaims } from '../../uploads/publish.ts';
import { cutOff } from '../read-small-body.ts';
import { translateMulterError } from './body-errors.ts';
import { createMulterEngine, type MulterEngine, type Stage } from './multer-engine.ts';
import { createParserInput, type ParserInput, parseBoundary } from './parser-input.ts';

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

/** What the sender claims about the files, in their order, and the text fields; a repeated name has a list. */
interface MultipartUpload {
  files: SenderClaims[];
  fields: Record<string, unknown>;
}

/** How long parsing may take after the end of the body, when no file is being staged. */
const MAX_PARSING_MS = 5_000;
/** How long staging may take after that: longer than any timeout of a storage. */
const MAX_STAGING_MS = 180_000;

/**
 * Reads a multipart body and passes its files to `stage`. Resolves when the whole request has arrived: multer
 * considers a file done at the end of its part, when the request can still fail. Rejects as soon as the request is
 * known to fail, or when `aborted` does; multer would wait for the rest of the body. `field`: what a request without a
 * file is told to use.
 */
export async function readMultipart(
  ctx: Context,
  stage: Stage,
  aborted: Promise<never>,
  field: string,
): Promise<MultipartUpload> {
  const engine = createMulterEngine(stage);
  const boundary = parseBoundary(ctx.get('Content-Type'));
  // So the parser reads the same boundary as the filter before it, and accepts one that was sent without quotes.
  ctx.req.headers['content-type'] = `multipart/form-data; boundary="${boundary}"`;
  const input = createParserInput(boundary);
  const timeout = startEndTimeout(ctx.req, engine);
  const reading = readBody(ctx, field, engine, input);
  reading.catch(() => {});
  try {
    return await Promise.race([reading, engine.failed, input.failed, timeout.passed, aborted]);
  } catch (error) {
    input.stop();
    throw error;
  } finally {
    timeout.clear();
  }
}

async function readBody(
  ctx: Context,
  field: string,
  engine: MulterEngine,
  input: ParserInput,
): Promise<MultipartUpload> {
  if (ctx.req.destroyed) throw cutOff();
  // multer documents `streamHandler`, which the types of @koa/multer lack.
  const options = { ...OPTIONS, storage: engine.storage, streamHandler: input.start } as Parameters<
    typeof multer
  >[0];
  const parse = multer(options).any();
  // @koa/multer types the context of a version of Koa of its own.
  await parse(ctx as never, async () => {}).catch(async (error: unknown) => {
    throw (await engine.stagingError()) ?? translateMulterError(error);
  });
  const files = Array.isArray(ctx.files) ? ctx.files : [];
  if (files.length === 0) throw new AppError('invalid-request', `send the file in the field "${field}"`);
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

/** Limits the time between the end of the body and the end of reading it. */
function startEndTimeout(request: IncomingMessage, engine: MulterEngine) {
  const { promise: passed, reject } = Promise.withResolvers<never>();
  passed.catch(() => {});
  let timer: NodeJS.Timeout | undefined;
  const fail = () => reject(new AppError('invalid-request', 'the multipart body has no proper end'));
  const checkParsing = () => {
    if (engine.isStaging()) timer = setTimeout(fail, MAX_STAGING_MS);
    else fail();
  };
  const start = () => {
    timer = setTimeout(checkParsing, MAX_PARSING_MS);
  };
  request.once('end', start);
  return {
    passed,
    clear() {
      request.off('end', start);
      clearTimeout(timer);
    },
  };
}

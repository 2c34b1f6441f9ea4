import type { IncomingMessage } from 'node:http';
import multer from '@koa/multer';
import type { Context } from 'koa';
import { AppError } from '../domain/errors.ts';
import type { Sent, Staged } from '../uploads/receive.ts';
import { cutOff, explainMultipart } from './explain-multipart.ts';
import { createEngine, type Engine, FIELD, type MulterFile, type Stage } from './multer-engine.ts';

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

/** The file of a multipart body, whole. */
export interface ReceivedFile extends Sent {
  staged: Staged;
}

/**
 * Reads the one file of a multipart body into `stage`. Resolves when the whole request has come: multer calls a file
 * done when its part ends, while the request can still fail. Rejects as soon as it is known that it will, or when
 * `broken` does, and not, as multer does, when the rest of the body has come. Nothing stays staged then.
 */
export async function readMultipart(
  ctx: Context,
  stage: Stage,
  broken: Promise<never>,
): Promise<ReceivedFile> {
  const engine = createEngine(stage);
  const reading = readWhole(ctx, engine);
  try {
    return await Promise.race([reading, engine.failed, broken]);
  } catch (error) {
    await engine.abandon();
    reading.then(({ staged }) => staged.discard()).catch(() => {});
    throw error;
  }
}

async function readWhole(ctx: Context, engine: Engine): Promise<ReceivedFile> {
  if (ctx.req.destroyed) throw cutOff();
  const parse = multer({ ...OPTIONS, storage: engine.storage }).any();
  await parse(ctx as never, async () => {}).catch(async (error: unknown) => {
    throw (await engine.failure()) ?? explainMultipart(error);
  });
  const [file] = (ctx.files ?? []) as unknown as MulterFile[];
  if (!file?.staged) throw new AppError('invalid-request', `send one file in the field "${FIELD}"`);
  const { originalname, encoding, mimetype, staged } = file;
  try {
    await ended(ctx.req);
  } catch (error) {
    await staged.discard();
    throw error;
  }
  return { originalname, encoding, mimetype, staged };
}

/** What follows the last part is read over, but it has to end. */
async function ended(request: IncomingMessage): Promise<void> {
  if (request.readableEnded) return;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  request.once('end', resolve).once('close', () => reject(cutOff()));
  if (request.destroyed) reject(cutOff());
  await promise;
}

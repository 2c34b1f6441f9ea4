import type { IncomingMessage } from 'node:http';
import multer from '@koa/multer';
import type { Context } from 'koa';
import { AppError } from '../../domain/errors.ts';
import type { Sent, Staged } from '../../uploads/receive.ts';
import { readBoundary } from './boundary.ts';
import { cutOff, explainMultipart } from './explain-multipart.ts';
import { createFeed, type Feed } from './feed-parser.ts';
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
  /** The text fields beside it; a name that came more than once has a list. */
  fields: Record<string, unknown>;
}

/** How long the parser may take to be done once the body has ended and no file is being stored. */
const MAX_PARSING_MS = 5_000;
/** How long storing may take then: more than a storage allows itself. */
const MAX_STORING_MS = 180_000;

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
  const feed = createFeed(readBoundary(ctx.get('Content-Type')));
  const deadline = watchEnd(ctx.req, engine);
  const reading = readWhole(ctx, engine, feed);
  reading.catch(() => {});
  try {
    return await Promise.race([reading, engine.failed, feed.failed, deadline.passed, broken]);
  } catch (error) {
    feed.stop();
    await engine.abandon();
    throw error;
  } finally {
    deadline.clear();
  }
}

async function readWhole(ctx: Context, engine: Engine, feed: Feed): Promise<ReceivedFile> {
  if (ctx.req.destroyed) throw cutOff();
  const parse = multer({ ...OPTIONS, storage: engine.storage, streamHandler: feed.start } as Options).any();
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
  const fields = (ctx.request as { body?: Record<string, unknown> }).body ?? {};
  return { originalname, encoding, mimetype, staged, fields };
}

/** What follows the last part is read over, but it has to end. */
async function ended(request: IncomingMessage): Promise<void> {
  if (request.readableEnded) return;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  request.once('end', resolve).once('close', () => reject(cutOff()));
  if (request.destroyed) reject(cutOff());
  await promise;
}

/** Bounds the time between the end of the body and the end of reading it, whatever the parser does. */
function watchEnd(request: IncomingMessage, engine: Engine) {
  const { promise: passed, reject } = Promise.withResolvers<never>();
  passed.catch(() => {});
  let timer: NodeJS.Timeout | undefined;
  const giveUp = () => reject(new AppError('invalid-request', 'the multipart body has no proper end'));
  const expectParsed = () => {
    if (engine.isStoring()) timer = setTimeout(giveUp, MAX_STORING_MS);
    else giveUp();
  };
  const begin = () => {
    timer = setTimeout(expectParsed, MAX_PARSING_MS);
  };
  request.once('end', begin);
  return {
    passed,
    clear() {
      request.off('end', begin);
      clearTimeout(timer);
    },
  };
}

/** The types of @koa/multer lag behind: multer documents `streamHandler`. */
type Options = Parameters<typeof multer>[0];

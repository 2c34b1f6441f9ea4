import { isUtf8 } from 'node:buffer';
import { on } from 'node:events';
import type { Context } from 'koa';
import { AppError } from '../domain/errors.ts';
import { formatSize } from '../domain/units.ts';

const TIMEOUT_MS = 10_000;

/**
 * Reads a short body of UTF-8. Throws AppError `too-large` for one above `maxBytes`, before it is read where its length
 * is declared, and `invalid-request` for one that is cut off, slow, or not UTF-8.
 */
export async function readSmallBody(ctx: Context, maxBytes: number): Promise<string> {
  if (Number(ctx.get('Content-Length')) > maxBytes) throw tooLarge(maxBytes);
  if (ctx.get('Expect')) ctx.res.writeContinue();
  const bytes = await readBytes(ctx, maxBytes);
  if (!isUtf8(bytes)) throw new AppError('invalid-request', 'the body must be UTF-8');
  return bytes.toString();
}

/** Leaves the request open, so that the refusal of a long body can still be sent. */
async function readBytes({ req }: Context, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const received = on(req, 'data', { close: ['end', 'close'], signal });
  try {
    for await (const [chunk] of received) {
      bytes += chunk.length;
      if (bytes > maxBytes) throw tooLarge(maxBytes);
      chunks.push(chunk);
    }
  } catch (error) {
    if (signal.aborted) throw new AppError('invalid-request', SLOW);
    throw error instanceof AppError ? error : cutOff();
  }
  if (!req.complete) throw cutOff();
  return Buffer.concat(chunks);
}

const SLOW = 'the body took too long to arrive; please send it again';

function tooLarge(maxBytes: number): AppError {
  return new AppError('too-large', `the body is larger than ${formatSize(maxBytes)}`);
}

export function cutOff(): AppError {
  return new AppError('invalid-request', 'the body was cut off; please send it again');
}

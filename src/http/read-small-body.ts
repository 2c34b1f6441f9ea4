import { isUtf8 } from 'node:buffer';
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
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(() => reject(new AppError('invalid-request', SLOW)), TIMEOUT_MS);
  let bytes = 0;

  function take(chunk: Buffer): void {
    bytes += chunk.length;
    if (bytes > maxBytes) reject(tooLarge(maxBytes));
    else chunks.push(chunk);
  }

  function fail(): void {
    reject(cutOff());
  }

  req.on('data', take).once('end', resolve).once('close', fail);
  try {
    await promise;
    return Buffer.concat(chunks);
  } finally {
    clearTimeout(timer);
    req.off('data', take).off('end', resolve).off('close', fail);
  }
}

const SLOW = 'the body took too long to arrive; please send it again';

function tooLarge(maxBytes: number): AppError {
  return new AppError('too-large', `the body is larger than ${formatSize(maxBytes)}`);
}

export function cutOff(): AppError {
  return new AppError('invalid-request', 'the body was cut off; please send it again');
}

import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { Context } from 'koa';
import { AppError, invalidRequest } from '../domain/errors.ts';
import { formatSize } from '../domain/units.ts';

const EVENTS = ['readable', 'end', 'close'] as const;
/** How much more than its bytes a body may take on the wire: so much, and a part of its bytes. */
const MAX_OVERHEAD = { bytes: 32 * 1024, ratio: 1 / 4 } as const;

/**
 * Yields the bytes of a body as they arrive, all at once that have come since the last time, and also those that came before the
 * connection broke. Throws AppError `invalid-request` for a body that is cut off, and the reason of `signal`.
 */
export async function* readBody({ req, res }: Context, signal?: AbortSignal): AsyncGenerator<Buffer, void> {
  const endTinyChunks = watchOverhead(req);
  let wake = () => {};
  const onChange = () => wake();
  for (const event of EVENTS) req.on(event, onChange);
  signal?.addEventListener('abort', onChange);
  try {
    if (req.headers.expect) res.writeContinue();
    for (;;) {
      signal?.throwIfAborted();
      const bytes: Buffer | null = req.read();
      if (bytes) endTinyChunks(bytes);
      if (bytes) yield bytes;
      else if (req.complete) return;
      else if (req.destroyed) throw cutOff();
      else {
        const changed = Promise.withResolvers<void>();
        wake = changed.resolve;
        await changed.promise;
      }
    }
  } finally {
    for (const event of EVENTS) req.off(event, onChange);
    signal?.removeEventListener('abort', onChange);
  }
}

/**
 * Returns a function that is told all bytes of a body, and ends the connection after thousands of chunks of less than twenty bytes:
 * chunks of one byte take as much time as large ones, and eight connections that sent them kept everybody else waiting for half
 * a minute.
 */
export function watchOverhead(request: IncomingMessage): (bytes: Buffer) => void {
  const { socket } = request;
  const before = socket.bytesRead;
  let arrived = 0;
  return ({ length }) => {
    arrived += length;
    const overhead = socket.bytesRead - before - arrived;
    if (overhead > MAX_OVERHEAD.bytes + arrived * MAX_OVERHEAD.ratio) request.destroy();
  };
}

export function cutOff(): AppError {
  return invalidRequest('the body was cut off; please send it again');
}

const SMALL_TIMEOUT_MS = 10_000;

/**
 * Reads a short body of UTF-8. Throws AppError `too-large` for one above `maxBytes`, before it is read where its length
 * is declared, and `invalid-request` for one that is cut off, slow, or not UTF-8.
 */
export async function readSmallBody(ctx: Context, maxBytes: number): Promise<string> {
  if (Number(ctx.get('Content-Length')) > maxBytes) throw tooLarge(maxBytes);
  const signal = AbortSignal.timeout(SMALL_TIMEOUT_MS);
  let bytes = Buffer.alloc(0);
  try {
    for await (const chunk of readBody(ctx, signal)) {
      bytes = Buffer.concat([bytes, chunk]);
      if (bytes.length > maxBytes) throw tooLarge(maxBytes);
    }
  } catch (error) {
    throw signal.aborted ? invalidRequest(SLOW) : error;
  }
  if (!isUtf8(bytes)) throw invalidRequest('the body must be UTF-8');
  return bytes.toString();
}

const SLOW = 'the body took too long to arrive; please send it again';

function tooLarge(maxBytes: number): AppError {
  return new AppError('too-large', `the body is larger than ${formatSize(maxBytes)}`);
}

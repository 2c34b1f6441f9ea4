import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { Context } from 'koa';
import { AppError, invalidRequest } from '../domain/errors.ts';
import { formatSize } from '../domain/units.ts';

const CHANGES = ['end', 'close'] as const;
/** When so many bytes wait to be used, the sender waits too. */
const MAX_WAITING_BYTES = 64 * 1024;
/** Chunks that are smaller are joined with those that wait behind them; larger ones cost more to copy than to use. */
const LARGE_BYTES = 8 * 1024;
/** How much more than its bytes a body may take on the wire: so much, and a part of its bytes. */
const MAX_OVERHEAD = { bytes: 32 * 1024, ratio: 1 / 4 } as const;

/**
 * Yields the bytes of a body as they arrive, large chunks as they come and small ones joined, and also those that came before
 * the connection broke. Throws AppError `invalid-request` for a body that is cut off, and the reason of `signal`.
 */
export async function* readBody({ req, res }: Context, signal?: AbortSignal): AsyncGenerator<Buffer, void> {
  const noteBytes = watchOverhead(req);
  const waiting: Buffer[] = [];
  let waitingBytes = 0;
  let onChange = () => {};
  const wake = () => onChange();

  function onData(chunk: Buffer): void {
    noteBytes(chunk);
    waitingBytes += chunk.length;
    if (waitingBytes >= MAX_WAITING_BYTES) req.pause();
    waiting.push(chunk);
    wake();
  }

  function take(): Buffer | null {
    const [first] = waiting;
    // What came before the connection broke is still in the buffer of the request.
    if (!first) return req.destroyed ? req.off('data', onData).read() : null;
    const bytes = first.length < LARGE_BYTES ? Buffer.concat(waiting.splice(0)) : waiting.shift()!;
    waitingBytes -= bytes.length;
    return bytes;
  }

  if (!req.destroyed) req.on('data', onData);
  for (const event of CHANGES) req.on(event, wake);
  signal?.addEventListener('abort', wake);
  try {
    if (req.headers.expect) res.writeContinue();
    for (;;) {
      signal?.throwIfAborted();
      const bytes = take();
      if (bytes) yield bytes;
      else if (req.complete && req.readableLength === 0) return;
      else if (req.destroyed) throw cutOff();
      else {
        const changed = Promise.withResolvers<void>();
        onChange = changed.resolve;
        req.resume();
        await changed.promise;
      }
    }
  } finally {
    req.off('data', onData).resume();
    for (const event of CHANGES) req.off(event, wake);
    signal?.removeEventListener('abort', wake);
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

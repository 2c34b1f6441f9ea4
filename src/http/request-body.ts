import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { Context } from 'koa';
import { AppError, invalidRequest } from '../domain/errors.ts';
import { formatSize } from '../domain/units.ts';
import { CountedRequest } from './server/counted-request.ts';

const CHANGES = ['end', 'close'] as const;
/** When so many bytes wait to be used, the sender waits too. */
const MAX_WAITING_BYTES = 64 * 1024;
/** Smaller chunks that arrive together are joined; larger chunks cost more to copy than to use. */
const LARGE_BYTES = 8 * 1024;
/** How many chunks may wait before they are joined: each takes hundreds of bytes of memory besides its content. */
const MAX_WAITING_CHUNKS = 256;

/**
 * Yields the bytes of a body as they arrive, large chunks as they come and small ones joined, and also those that came before
 * the connection broke. Throws AppError `invalid-request` for a body that is cut off, `too-large` for one with many chunk
 * extensions, and the reason of `signal`.
 */
export async function* readBody({ req, res }: Context, signal?: AbortSignal): AsyncGenerator<Buffer, void> {
  const waiting: Buffer[] = [];
  let waitingBytes = 0;
  let onChange = () => {};
  let joining: NodeJS.Immediate | undefined;
  const wake = () => onChange();

  function onData(chunk: Buffer): void {
    waiting.push(chunk);
    waitingBytes += chunk.length;
    if (waiting.length === MAX_WAITING_CHUNKS) waiting.push(Buffer.concat(waiting.splice(0)));
    if (waitingBytes >= MAX_WAITING_BYTES) req.pause();
    if (chunk.length >= LARGE_BYTES) wake();
    // Promises run between two chunks of one segment. Woken at once, the reader would take small chunks one by one.
    else joining ??= setImmediate(wakeAfterSegment);
  }

  function wakeAfterSegment(): void {
    joining = undefined;
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
      refuseChunkExtensions(req);
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
    clearImmediate(joining);
    req.off('data', onData).resume();
    for (const event of CHANGES) req.off(event, wake);
    signal?.removeEventListener('abort', wake);
  }
}

function refuseChunkExtensions(request: IncomingMessage): void {
  if (request instanceof CountedRequest && request.hasExcessiveFraming)
    throw new AppError('too-large', 'the chunk extensions are too large; leave them out');
}

export function cutOff(): AppError {
  return invalidRequest('the body was cut off; please send it again');
}

/**
 * Throws AppError `unsupported-media-type` for a body with a Content-Encoding such as gzip: bodies are never decoded, so the
 * encoded bytes would be stored as the file.
 */
export function refuseEncodedBody(ctx: Context): void {
  const codings = ctx.get('Content-Encoding').split(',');
  const encoding = codings.map((coding) => coding.trim()).find((coding) => !/^(?:identity)?$/iu.test(coding));
  if (encoding === undefined) return;
  const advice = 'send the body as it is, without Content-Encoding';
  const message = `Content-Encoding ${encoding.slice(0, 64)} is not supported; ${advice}`;
  throw new AppError('unsupported-media-type', message);
}

const SMALL_TIMEOUT_MS = 10_000;

/**
 * Reads a short body of UTF-8. Throws AppError `too-large` for one above `maxBytes`, before it is read where its length
 * is declared, `invalid-request` for one that is cut off, slow, or not UTF-8, and `unsupported-media-type` for one with a
 * Content-Encoding.
 */
export async function readSmallBody(ctx: Context, maxBytes: number): Promise<string> {
  refuseEncodedBody(ctx);
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

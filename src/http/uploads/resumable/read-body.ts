import type { IncomingMessage, ServerResponse } from 'node:http';
import { freeChunk } from '../../../uploads/free-chunk.ts';
import type { ReadBody } from '../../../uploads/resumable/receive-piece.ts';
import { cutOff } from '../../read-small-body.ts';

/** A sender that has sent more before its body is read has to wait. */
const MAX_EARLY_BYTES = 256 * 1024;

/**
 * Gathers the chunks of a body until it is read: in the buffer of the request they would be lost if the connection broke
 * meanwhile. Has to be called before anything is awaited.
 */
export function openBody(request: IncomingMessage, response: ServerResponse) {
  const early: Buffer[] = [];
  let earlyBytes = 0;

  function gather(chunk: Buffer): void {
    early.push(chunk);
    earlyBytes += chunk.length;
    if (earlyBytes >= MAX_EARLY_BYTES) request.pause();
  }

  function takeEarly(): Buffer[] {
    request.off('data', gather);
    return early.splice(0);
  }

  /** Reads the body as it arrives, because a connection that breaks loses what is still in its buffer. */
  const read: ReadBody = async (append, signal) => {
    const { promise: ended, resolve, reject } = Promise.withResolvers<void>();
    let appended: Promise<void> | undefined;
    const resume = () => void request.resume();
    const onAbort = () => reject(signal.reason);

    /** Passes on the bytes that arrived while the request was paused: they are still in its buffer. */
    function onClose(): void {
      request.off('data', onData);
      const rest: Buffer | null = request.read();
      if (rest) onData(rest);
      reject(cutOff());
    }

    function onData(chunk: Buffer): void {
      try {
        request.pause();
        appended = append(chunk);
        appended.then(() => {
          freeChunk(chunk);
          request.resume();
        }, reject);
      } catch (error) {
        reject(error);
      }
    }

    try {
      if (request.headers.expect) response.writeContinue();
      const chunks = takeEarly();
      request.pause();
      for (const chunk of chunks) await append(chunk);
      // Listeners added before this could append later bytes in front of these when the connection breaks.
      request.on('data', onData).once('end', resolve).once('close', onClose);
      signal.addEventListener('abort', onAbort);
      if (signal.aborted) onAbort();
      if (request.readableEnded) resolve();
      else if (request.destroyed) onClose();
      resume();
      await ended;
      await appended;
    } finally {
      request.off('data', onData).off('end', resolve).off('close', onClose);
      signal.removeEventListener('abort', onAbort);
      resume();
    }
  };

  request.on('data', gather);
  return { read, drop: () => void takeEarly() };
}

import type { IncomingMessage, ServerResponse } from 'node:http';
import { freeChunk } from '../../../uploads/free-chunk.ts';
import type { ReadBody } from '../../../uploads/resumable/receive-piece.ts';
import { cutOff } from '../../read-small-body.ts';

/** A sender that has sent more before its body is read has to wait. */
const MAX_EARLY_BYTES = 256 * 1024;

/** The chunks of a body that arrive before it is read. */
export interface EarlyChunks {
  /** Returns the chunks, and stops gathering. */
  take(): Buffer[];
}

/**
 * Gathers the chunks of a body that come before it is read: in the buffer of the request they would be lost if the
 * connection broke meanwhile. Has to be called before anything is awaited.
 */
export function gatherEarlyChunks(request: IncomingMessage): EarlyChunks {
  let chunks: Buffer[] = [];
  let bytes = 0;

  function gather(chunk: Buffer): void {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes >= MAX_EARLY_BYTES) request.pause();
  }

  request.on('data', gather);
  return {
    take() {
      request.off('data', gather);
      const taken = chunks;
      chunks = [];
      return taken;
    },
  };
}

/**
 * Reads the body of a request as it arrives, because a connection that breaks loses what is still in its buffer. After a
 * failure it drops the rest of the body.
 */
export function readBodyOf(request: IncomingMessage, response: ServerResponse, early: EarlyChunks): ReadBody {
  return async (append, signal) => {
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
      const chunks = early.take();
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
}

import type { IncomingMessage } from 'node:http';

const MAX_BYTES = 256 * 1024;

/** The chunks of a body that arrive before it is read. */
export interface EarlyChunks {
  /** Returns the chunks and gathers no more. */
  take(): Buffer[];
}

/**
 * Gathers the chunks of a body that come before it is read: in the buffer of the request they would be lost if the
 * connection broke meanwhile. Has to be called before anything is awaited. Above `MAX_BYTES` the sender has to wait.
 */
export function gatherEarlyChunks(request: IncomingMessage): EarlyChunks {
  let chunks: Buffer[] = [];
  let bytes = 0;

  function gather(chunk: Buffer): void {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes >= MAX_BYTES) request.pause();
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

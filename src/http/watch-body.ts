import type { IncomingMessage } from 'node:http';

export interface BodyLimits {
  /** A sender slower than this is let go, */
  leastBytesPerSecond: number;
  /** judged over spans of this length. */
  graceMs: number;
}

/** Who sends more slowly than this keeps a connection for the sake of it. */
export const SLOWEST: BodyLimits = { leastBytesPerSecond: 8 * 1024, graceMs: 30_000 };

/**
 * Watches a body while somebody else reads it: calls `onBytes` with what has come so far, before it is read, and
 * closes the connection of who sends too slowly to ever be done. Returns the way to stop.
 */
export function watchBody(
  request: IncomingMessage,
  limits: BodyLimits,
  onBytes: (bytes: number, ofThemNow: number) => void,
): () => void {
  let bytes = 0;
  let bytesInSpan = 0;

  function count(chunk: Buffer): void {
    bytes += chunk.length;
    bytesInSpan += chunk.length;
    onBytes(bytes, chunk.length);
  }

  const timer = setInterval(() => {
    const least = (limits.leastBytesPerSecond * limits.graceMs) / 1_000;
    if (bytesInSpan < least) request.destroy();
    bytesInSpan = 0;
  }, limits.graceMs);

  request.on('data', count);
  return () => {
    clearInterval(timer);
    request.off('data', count);
  };
}

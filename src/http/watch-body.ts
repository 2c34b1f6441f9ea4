import type { IncomingMessage } from 'node:http';
import { AppError } from '../domain/errors.ts';

export interface BodyLimits {
  /** The most that a body may have, envelope included. */
  maxBytes: number;
  /** A sender slower than this is let go, */
  leastBytesPerSecond: number;
  /** judged over spans of this length. */
  graceMs: number;
}

/**
 * Watches a body while somebody else reads it. Calls `onTooMuch` once when it does not end where it should, and
 * closes the connection of who sends too slowly to ever be done. Returns the way to stop.
 */
export function watchBody(
  request: IncomingMessage,
  limits: BodyLimits,
  onTooMuch: (error: AppError) => void,
): () => void {
  let bytes = 0;
  let bytesInSpan = 0;

  function count(chunk: Buffer): void {
    bytes += chunk.length;
    bytesInSpan += chunk.length;
    if (bytes > limits.maxBytes)
      onTooMuch(new AppError('too-large', 'the body goes on for longer than any file may'));
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

import type { IncomingMessage } from 'node:http';

export interface UploadRateLimits {
  /** A sender slower than this is let go, */
  minBytesPerSecond: number;
  /** judged over spans of this length. */
  graceMs: number;
}

/**
 * Watches a body while somebody else reads it: calls `onBytes` with what has come so far, before it is read, and
 * closes the connection of who sends too slowly to ever be done. Only time in which the body is being read counts: a
 * sender is not to blame for a slow storage. Returns the way to stop.
 */
export function enforceMinRate(
  request: IncomingMessage,
  { minBytesPerSecond, graceMs }: UploadRateLimits,
  onBytes: (bytes: number) => void,
): () => void {
  const minBytes = (minBytesPerSecond * graceMs) / 1_000;
  let bytes = 0;
  let bytesInSpan = 0;

  const span = startSpans(graceMs, () => {
    if (bytesInSpan < minBytes) request.destroy();
    bytesInSpan = 0;
  });

  function count(chunk: Buffer): void {
    bytes += chunk.length;
    bytesInSpan += chunk.length;
    onBytes(bytes);
  }

  request.on('data', count).on('pause', span.pause).on('resume', span.resume);
  return () => {
    request.off('data', count).off('pause', span.pause).off('resume', span.resume);
    span.pause();
  };
}

/** Calls `onEnd` after every span of this length, pauses not included. */
function startSpans(lengthMs: number, onEnd: () => void) {
  let leftMs = lengthMs;
  let since = 0;
  let timer: NodeJS.Timeout | undefined;

  function resume(): void {
    if (timer) return;
    since = performance.now();
    timer = setTimeout(end, Math.max(leftMs, 0));
  }

  function pause(): void {
    if (!timer) return;
    clearTimeout(timer);
    timer = undefined;
    leftMs -= performance.now() - since;
  }

  function end(): void {
    timer = undefined;
    leftMs = lengthMs;
    onEnd();
    resume();
  }

  resume();
  return { pause, resume };
}

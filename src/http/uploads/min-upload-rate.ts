import type { IncomingMessage } from 'node:http';

export interface UploadRateLimits {
  /** The connection of a slower sender is closed. */
  minBytesPerSecond: number;
  /** The rate is measured over intervals of this length. */
  graceMs: number;
}

/**
 * Watches a body while it is read elsewhere: calls `onBytes` with the number of bytes so far, before they are read, and
 * closes the connection of a sender that is too slow. Time in which the body is paused does not count, because the
 * storage is slow then. Returns the function that stops watching.
 */
export function enforceMinRate(
  request: IncomingMessage,
  { minBytesPerSecond, graceMs }: UploadRateLimits,
  onBytes: (bytes: number) => void,
): () => void {
  const minBytes = (minBytesPerSecond * graceMs) / 1_000;
  let bytes = 0;
  let intervalBytes = 0;
  let leftMs = graceMs;
  let since = 0;
  let timer: NodeJS.Timeout | undefined;
  let judgement: NodeJS.Immediate | undefined;

  function resume(): void {
    if (timer) return;
    since = performance.now();
    timer = setTimeout(endInterval, leftMs);
  }

  function pause(): void {
    if (!timer) return;
    clearTimeout(timer);
    timer = undefined;
    leftMs = Math.max(leftMs - (performance.now() - since), 0);
  }

  function endInterval(): void {
    timer = undefined;
    leftMs = graceMs;
    resume();
    // After a stall of this process, timers come before the bytes that have arrived meanwhile, and immediates after them.
    judgement = setImmediate(() => {
      if (intervalBytes < minBytes) request.destroy();
      intervalBytes = 0;
    });
  }

  function count(chunk: Buffer): void {
    bytes += chunk.length;
    intervalBytes += chunk.length;
    onBytes(bytes);
  }

  resume();
  request.on('data', count).on('pause', pause).on('resume', resume);
  return () => {
    request.off('data', count).off('pause', pause).off('resume', resume);
    pause();
    clearImmediate(judgement);
  };
}

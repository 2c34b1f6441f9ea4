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
  let judgement: NodeJS.Immediate | undefined;

  /** After a stall of this process, timers come before the bytes that have arrived meanwhile, and immediates after them. */
  const interval = startIntervals(graceMs, () => {
    judgement = setImmediate(() => {
      if (intervalBytes < minBytes) request.destroy();
      intervalBytes = 0;
    });
  });

  function count(chunk: Buffer): void {
    bytes += chunk.length;
    intervalBytes += chunk.length;
    onBytes(bytes);
  }

  request.on('data', count).on('pause', interval.pause).on('resume', interval.resume);
  return () => {
    request.off('data', count).off('pause', interval.pause).off('resume', interval.resume);
    interval.pause();
    clearImmediate(judgement);
  };
}

/** Calls `onEnd` after every interval of this length, which does not include pauses. */
function startIntervals(lengthMs: number, onEnd: () => void) {
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

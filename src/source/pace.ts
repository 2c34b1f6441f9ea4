import { setTimeout as sleep } from 'node:timers/promises';

/** Keeps `delayMs` between the starts of two requests: the source refuses bursts. Resolves when the next may go. */
export function createPace(delayMs: number): (signal: AbortSignal) => Promise<void> {
  let nextAtMs = 0;
  return async (signal) => {
    const now = performance.now();
    const startMs = Math.max(now, nextAtMs);
    nextAtMs = startMs + delayMs;
    if (startMs > now) await sleep(startMs - now, undefined, { signal });
  };
}

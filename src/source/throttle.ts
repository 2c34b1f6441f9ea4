import { setTimeout as sleep } from 'node:timers/promises';

/** Keeps `delayMs` between the starts of two requests: the source refuses bursts. Resolves when the next may go. */
export function createThrottle(delayMs: number): (signal: AbortSignal) => Promise<void> {
  let nextAtMs = 0;
  let lastTurn = Promise.resolve();

  async function takeTurn(signal: AbortSignal): Promise<void> {
    const waitMs = nextAtMs - performance.now();
    if (waitMs > 0) await sleep(waitMs, undefined, { signal });
    nextAtMs = performance.now() + delayMs;
  }

  return (signal) => {
    const turn = lastTurn.then(() => takeTurn(signal));
    lastTurn = turn.catch(() => {});
    return turn;
  };
}

import { setTimeout as sleep } from 'node:timers/promises';

/** Returns a function that resolves when the next request may start, `delayMs` after the last: bursts are refused. */
export function createThrottle(delayMs: number): (signal: AbortSignal) => Promise<void> {
  let nextStartMs = 0;
  let lastTurn = Promise.resolve();

  async function takeTurn(signal: AbortSignal): Promise<void> {
    const waitMs = nextStartMs - performance.now();
    if (waitMs > 0) await sleep(waitMs, undefined, { signal });
    nextStartMs = performance.now() + delayMs;
  }

  return (signal) => {
    const turn = lastTurn.then(() => takeTurn(signal));
    lastTurn = turn.catch(() => {});
    return turn;
  };
}

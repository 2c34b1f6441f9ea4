import { setTimeout as sleep } from 'node:timers/promises';
import { inOrder } from '../../domain/serial.ts';

/** Discord takes at most 50 requests a second from one address, whatever webhooks they are for. */
const REQUESTS_PER_SECOND = 45;

/** What all requests to Discord pass, one after another, at a rate that Discord allows. */
export interface Gate {
  /** Rejects when `signal` is aborted. */
  pass(signal: AbortSignal): Promise<void>;
  /** Lets nothing pass for some time. */
  close(forMs: number): void;
}

export function createGate(): Gate {
  const run = inOrder();
  /** On a monotonic clock, when nothing may pass before. */
  let opensAt = 0;
  return {
    pass: (signal) =>
      run(async () => {
        signal.throwIfAborted();
        for (let now = performance.now(); now < opensAt; now = performance.now())
          await sleep(Math.ceil(opensAt - now), undefined, { signal });
        // Time that was lost is not made up for: a burst would be too much for one second.
        opensAt = Math.max(opensAt, performance.now() + 1_000 / REQUESTS_PER_SECOND);
      }),
    close(forMs) {
      opensAt = Math.max(opensAt, performance.now() + forMs);
    },
  };
}

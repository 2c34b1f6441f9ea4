import { setTimeout as sleep } from 'node:timers/promises';
import { inOrder } from '../../domain/serial.ts';

/** Discord takes at most 50 requests a second from one address, whatever webhooks they are for. */
const REQUESTS_PER_SECOND = 45;

/** Spaces all requests to Discord, so that they stay below what Discord allows. */
export interface DiscordThrottle {
  /** Resolves when the next request may be sent. Rejects when `signal` is aborted. */
  wait(signal: AbortSignal): Promise<void>;
  /** Lets no request through for some time. */
  pause(forMs: number): void;
}

export function createDiscordThrottle(): DiscordThrottle {
  const run = inOrder();
  /** The earliest moment of the next request, on a monotonic clock. */
  let nextAt = 0;
  return {
    wait: (signal) =>
      run(async () => {
        signal.throwIfAborted();
        for (let now = performance.now(); now < nextAt; now = performance.now())
          await sleep(Math.ceil(nextAt - now), undefined, { signal });
        // Time that was lost is not made up for: a burst would be too much for one second.
        nextAt = Math.max(nextAt, performance.now() + 1_000 / REQUESTS_PER_SECOND);
      }),
    pause(forMs) {
      nextAt = Math.max(nextAt, performance.now() + forMs);
    },
  };
}

import { inOrder } from '../../../domain/serial.ts';
import type { Bucket } from './bucket.ts';
import { ALIVE } from './keys.ts';

/** A process with unfinished uploads writes its heartbeat object at this interval. */
const HEARTBEAT_MS = 5_000;
/** A process counts as dead when its object has been seen unchanged for so long. */
const DEAD_AFTER_MS = 20_000;

/**
 * Shows other processes that this one is alive, and finds dead ones. A process is dead when its object is missing, or stays
 * unchanged by the clock of the observer, because clocks may differ. A lifecycle rule of the bucket would keep the parts of a
 * crash for days. `own` is the unique name of this process.
 */
export function createHeartbeat(bucket: Bucket, own: string, clock: () => number) {
  let seen = new Map<string, { version: string; since: number }>();
  /** The requests are sent one after the other, so that the last one takes effect. */
  const next = inOrder();
  let users = 0;
  let timer: NodeJS.Timeout | undefined;

  const send = () =>
    next(async () => {
      if (users > 0) await bucket.put(`${ALIVE}${own}`, Buffer.from(String(clock())));
      else await bucket.remove([`${ALIVE}${own}`]);
    });

  function release(): void {
    users -= 1;
    if (users > 0) return;
    clearInterval(timer);
    timer = undefined;
    // An object that cannot be removed now is removed once it counts as dead.
    send().catch(() => {});
  }

  return {
    /** Starts the heartbeat. Resolves once other processes can see it, with the function that ends it. */
    async start(): Promise<() => void> {
      users += 1;
      // A failure is ignored: the next heartbeat follows soon.
      timer ??= setInterval(() => send().catch(() => {}), HEARTBEAT_MS).unref();
      await send().catch((error: unknown) => {
        release();
        throw error;
      });
      return release;
    },

    isAlive: async (name: string): Promise<boolean> => (await bucket.get(`${ALIVE}${name}`)) !== undefined,

    /** Removes the objects of processes that count as dead. */
    async removeDead(now: number): Promise<void> {
      const present = new Map<string, { version: string; since: number }>();
      for await (const { objects } of bucket.pages(ALIVE)) {
        for (const { key, version } of objects) {
          const known = seen.get(key);
          present.set(key, known?.version === version ? known : { version, since: now });
        }
      }
      seen = present;
      const dead = [...present].filter(([, { since }]) => now - since > DEAD_AFTER_MS).map(([key]) => key);
      await bucket.remove(dead.filter((key) => key !== `${ALIVE}${own}`));
    },

    /** Resolves when the last request has been answered. */
    async close(): Promise<void> {
      clearInterval(timer);
      await next(async () => {});
    },
  };
}

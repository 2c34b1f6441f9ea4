import type { Bucket } from './bucket.ts';
import { ALIVE } from './keys.ts';

/** A process with unfinished multipart uploads writes its heartbeat object at this interval. */
const HEARTBEAT_MS = 5_000;
/** A process counts as dead when its object has been seen unchanged for so long. */
const DEAD_AFTER_MS = 20_000;

/**
 * Shows other processes that this one is alive, and finds dead ones. A process is dead when its object stays unchanged by
 * the clock of the observer, because clocks may differ. A lifecycle rule of the bucket would keep the parts of a crash for
 * days. `own` is the unique name of this process.
 */
export function createHeartbeat(bucket: Bucket, own: string, clock: () => number) {
  const seen = new Map<string, { version: string; since: number }>();
  let users = 0;
  let timer: NodeJS.Timeout | undefined;
  let lastRequest = Promise.resolve();

  /** Sends the requests one after the other, so that the last one takes effect. */
  function inOrder(request: () => Promise<void>): Promise<void> {
    lastRequest = lastRequest.catch(() => {}).then(request);
    return lastRequest;
  }

  async function send(): Promise<void> {
    if (users > 0) await bucket.put(`${ALIVE}${own}`, Buffer.from(String(clock())));
  }

  async function end(): Promise<void> {
    if (users === 0) await bucket.remove([`${ALIVE}${own}`]);
  }

  function release(): void {
    users -= 1;
    if (users > 0) return;
    clearInterval(timer);
    timer = undefined;
    // An object that cannot be removed now is removed once it counts as dead.
    inOrder(end).catch(() => {});
  }

  return {
    /** Starts the heartbeat. Resolves once other processes can see it, with the function that ends it. */
    async start(): Promise<() => void> {
      users += 1;
      // A failure is ignored: the next heartbeat follows soon.
      timer ??= setInterval(() => inOrder(send).catch(() => {}), HEARTBEAT_MS).unref();
      try {
        await (users === 1 ? inOrder(send) : lastRequest);
      } catch (error) {
        release();
        throw error;
      }
      return release;
    },

    /** Resolves with the names of processes that count as dead. */
    async findDead(now: number): Promise<string[]> {
      const dead: string[] = [];
      const present = new Set<string>();
      for await (const { objects } of bucket.pages(ALIVE)) {
        for (const { key, version } of objects) {
          const name = key.slice(ALIVE.length);
          present.add(name);
          const known = seen.get(name);
          const since = known?.version === version ? known.since : now;
          seen.set(name, { version, since });
          if (name !== own && now - since > DEAD_AFTER_MS) dead.push(name);
        }
      }
      for (const name of seen.keys()) if (!present.has(name)) seen.delete(name);
      return dead;
    },

    isAlive: async (name: string): Promise<boolean> => (await bucket.get(`${ALIVE}${name}`)) !== undefined,
    /** Removes the object of a dead process, once nothing else of it is left. */
    forget: (name: string): Promise<void> => bucket.remove([`${ALIVE}${name}`]),
    /** Resolves when the last request has been answered. */
    async close(): Promise<void> {
      clearInterval(timer);
      await lastRequest.catch(() => {});
    },
  };
}

import { randomBytes } from 'node:crypto';
import { inOrder } from '../../../domain/serial.ts';
import type { Bucket } from './bucket.ts';
import { ALIVE, BYTES } from './keys.ts';
import type { MultipartUpload } from './multipart.ts';

/** A process with unfinished uploads writes its heartbeat object at this interval. */
const HEARTBEAT_MS = 5_000;
/** A process counts as dead when its object has been seen unchanged for so long. */
const DEAD_AFTER_MS = 20_000;

export type Staging = ReturnType<typeof openStaging>;

/** Names the objects of this process, and keeps track of what it has not finished or could not remove. */
export function openStaging(bucket: Bucket, clock: () => number) {
  const own = randomBytes(8).toString('hex');
  const heartbeat = createHeartbeat(bucket, own, clock);
  /** The keys of the unfinished multipart uploads of this process, each with the function that ends its heartbeat. */
  const active = new Map<string, () => void>();
  /** The keys of which another upload may still appear, because a request to begin one got no answer. */
  const unanswered = new Set<string>();
  /** What the next sweep has to do. */
  let due: (() => Promise<unknown>)[] = [];
  let uploads = 0;

  /** Never rejects: a removal that fails is tried again by each sweep. It must be one that can be repeated. */
  async function attempt(removal: () => Promise<unknown>): Promise<void> {
    await removal().catch(() => due.push(removal));
  }

  function forget(key: string): void {
    active.get(key)?.();
    active.delete(key);
  }

  /** Aborts every upload of a key. The heartbeat goes on until that has succeeded. */
  async function abortAll(key: string): Promise<void> {
    await bucket.parts.abortAll(key);
    forget(key);
  }

  /** Aborts the uploads of a key. Never rejects: a sweep aborts what is left, or appears after this. */
  async function abort(key: string): Promise<void> {
    if (!unanswered.delete(key)) return attempt(() => abortAll(key));
    due.push(() => abortAll(key));
    await bucket.parts.abortAll(key).catch(() => {});
  }

  /** `<process>.<number>`: a name that nothing else in the bucket has. */
  function nextName(): string {
    uploads += 1;
    return `${own}.${uploads}`;
  }

  return {
    attempt,
    nextName,
    /** A key that no other staged upload has. */
    nextKey: (): string => `${BYTES}${nextName()}`,

    /** Shows other processes that this one is alive. Resolves with the function that ends it. */
    hold: (): Promise<() => void> => heartbeat.start(),
    /** Whether a process has unfinished work and has not been found dead. */
    isAlive: heartbeat.isAlive,

    /** Begins a multipart upload, which other processes do not abort while this one lives. */
    async begin(key: string): Promise<MultipartUpload> {
      active.set(key, await heartbeat.start());
      try {
        const { isRepeated, ...upload } = await bucket.parts.begin(key);
        if (isRepeated) unanswered.add(key);
        return upload;
      } catch (error) {
        unanswered.add(key);
        await abort(key);
        throw error;
      }
    },

    /** To be called when a multipart upload has been completed. */
    end(key: string): void {
      if (unanswered.delete(key)) due.push(() => abortAll(key));
      else forget(key);
    },

    abort,

    /** Aborts what dead processes left. Resolves with the number of their staged uploads. */
    async sweep(now: number): Promise<number> {
      const again = due;
      due = [];
      for (const removal of again) await attempt(removal);
      let removed = 0;
      for (const name of await heartbeat.findDead(now)) {
        const unfinished = await bucket.parts.list(`${BYTES}${name}.`);
        for (const upload of unfinished) await bucket.parts.abort(upload);
        removed += unfinished.length;
        // A last request of a dead process may arrive late, so its name is kept until nothing of it is found.
        if (unfinished.length === 0) await heartbeat.forget(name);
      }
      return removed;
    },

    /** To be called after the last staged upload has ended. */
    close: () => heartbeat.close(),
  };
}

/**
 * Shows other processes that this one is alive, and finds dead ones. A process is dead when its object stays unchanged by
 * the clock of the observer, because clocks may differ. A lifecycle rule of the bucket would keep the parts of a crash for
 * days. `own` is the unique name of this process.
 */
function createHeartbeat(bucket: Bucket, own: string, clock: () => number) {
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

    /** Resolves with the names of processes that count as dead. */
    async findDead(now: number): Promise<string[]> {
      const present = new Map<string, { version: string; since: number }>();
      for await (const { objects } of bucket.pages(ALIVE)) {
        for (const { key, version } of objects) {
          const name = key.slice(ALIVE.length);
          const known = seen.get(name);
          present.set(name, known?.version === version ? known : { version, since: now });
        }
      }
      seen = present;
      const isDead = (name: string, since: number) => name !== own && now - since > DEAD_AFTER_MS;
      return [...present].filter(([name, { since }]) => isDead(name, since)).map(([name]) => name);
    },

    isAlive: async (name: string): Promise<boolean> => (await bucket.get(`${ALIVE}${name}`)) !== undefined,
    /** Removes the object of a dead process, once nothing else of it is left. */
    forget: (name: string): Promise<void> => bucket.remove([`${ALIVE}${name}`]),
    /** Resolves when the last request has been answered. */
    async close(): Promise<void> {
      clearInterval(timer);
      await next(async () => {});
    },
  };
}

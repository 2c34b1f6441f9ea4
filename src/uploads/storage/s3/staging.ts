import { randomBytes } from 'node:crypto';
import { inOrder } from '../../../domain/serial.ts';
import type { Bucket } from './bucket.ts';
import { ALIVE, BYTES } from './keys.ts';

/** A process with unfinished uploads writes its heartbeat object at this interval. */
const HEARTBEAT_MS = 5_000;
/** A process counts as dead when its object has been seen unchanged for so long. */
const DEAD_AFTER_MS = 20_000;

export type Staging = ReturnType<typeof openStaging>;

/**
 * Names the objects of this process, shows other processes that it is alive while it has not finished them, and keeps track of
 * what it could not remove. A process is dead when its heartbeat object is missing, or stays unchanged by the clock of the
 * observer, because clocks may differ. A lifecycle rule of the bucket would keep the parts of a crash for days.
 */
export function openStaging(bucket: Bucket, clock: () => number) {
  const own = randomBytes(8).toString('hex');
  /** The unfinished work of this process; multipart uploads by their keys. */
  const held = new Set<string>();
  /** The removals that the next sweep has to try again. */
  let due: (() => Promise<unknown>)[] = [];
  let names = 0;
  let seen = new Map<string, { version: string; since: number }>();
  let timer: NodeJS.Timeout | undefined;
  /** The heartbeats are sent one after the other, so that the last one takes effect. */
  const next = inOrder();

  const sendHeartbeat = () =>
    next(async () => {
      if (held.size > 0) await bucket.put(`${ALIVE}${own}`, Buffer.from(String(clock())));
      else await bucket.remove([`${ALIVE}${own}`]);
    });

  /** `<process>.<number>`: a name that nothing else in the bucket has. */
  function nextName(): string {
    names += 1;
    return `${own}.${names}`;
  }

  /** Begins unfinished work. Resolves with its name once other processes can see that this one is alive. */
  async function hold(name = nextName()): Promise<string> {
    held.add(name);
    // A failure is ignored: the next heartbeat follows soon.
    timer ??= setInterval(() => sendHeartbeat().catch(() => {}), HEARTBEAT_MS).unref();
    await sendHeartbeat().catch((error: unknown) => {
      release(name);
      throw error;
    });
    return name;
  }

  function release(name: string): void {
    if (!held.delete(name) || held.size > 0) return;
    clearInterval(timer);
    timer = undefined;
    // An object that cannot be removed now is removed once it counts as dead.
    sendHeartbeat().catch(() => {});
  }

  /** Never rejects: a removal that fails is tried again by each sweep. It must be one that can be repeated. */
  async function attempt(removal: () => Promise<unknown>): Promise<void> {
    await removal().catch(() => due.push(removal));
  }

  /** Whether a process has unfinished work and has not been found dead. */
  async function isAlive(name: string): Promise<boolean> {
    return (await bucket.get(`${ALIVE}${name}`)) !== undefined;
  }

  async function isInUse(key: string): Promise<boolean> {
    const [name = ''] = key.slice(BYTES.length).split('.');
    return name === own ? held.has(key) : isAlive(name);
  }

  /** Removes the heartbeat objects of processes that count as dead. */
  async function removeDead(now: number): Promise<void> {
    const present: typeof seen = new Map();
    for await (const { objects } of bucket.pages(ALIVE)) {
      for (const { key, version } of objects) {
        const known = seen.get(key);
        present.set(key, known?.version === version ? known : { version, since: now });
      }
    }
    seen = present;
    const dead = [...present].filter(([, { since }]) => now - since > DEAD_AFTER_MS).map(([key]) => key);
    await bucket.remove(dead.filter((key) => key !== `${ALIVE}${own}`));
  }

  return {
    nextName,
    hold,
    release,
    isAlive,
    attempt,

    /** Aborts the uploads that nobody continues. Resolves with the number of them that dead processes have left. */
    async sweep(now: number): Promise<number> {
      const again = due;
      due = [];
      for (const removal of again) await attempt(removal);
      await removeDead(now);
      let removed = 0;
      for (const upload of await bucket.listUploads(BYTES)) {
        if (await isInUse(upload.key)) continue;
        await bucket.abortUpload(upload);
        if (!upload.key.startsWith(`${BYTES}${own}.`)) removed += 1;
      }
      return removed;
    },

    /** Ends the heartbeat. Resolves when the last one has been answered. */
    async close(): Promise<void> {
      clearInterval(timer);
      await next(async () => {});
    },
  };
}

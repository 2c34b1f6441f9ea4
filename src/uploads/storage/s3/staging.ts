import { randomBytes } from 'node:crypto';
import { inOrder } from '../../../domain/serial.ts';
import type { Swept } from '../../storage.ts';
import { attempt, type Failures } from '../failures.ts';
import type { Bucket } from './bucket.ts';
import { ALIVE, BYTES, REMOVING, type Removal } from './keys.ts';

/** A process with unfinished work writes its heartbeat object at this interval. */
const HEARTBEAT_MS = 5_000;
/** Requests stop waiting for a process when its object has stayed unchanged for two heartbeats. */
const GONE_AFTER_MS = 2 * HEARTBEAT_MS;
/** A process counts as dead when its object has been seen unchanged for so long. */
const DEAD_AFTER_MS = 20_000;

export type Staging = ReturnType<typeof openStaging>;

/**
 * Names the objects of this process, shows other processes that it is alive while it has not finished them, and keeps track of
 * what it could not remove. A process is dead when its heartbeat object is missing, or stays unchanged by the clock of the
 * observer, because clocks may differ. A lifecycle rule of the bucket would keep the parts of a crash for days.
 */
export function openStaging(bucket: Bucket) {
  const own = randomBytes(8).toString('hex');
  /** The names of the unfinished work of this process, and of its notes. */
  const held = new Set<string>();
  const noted = new Set<string>();
  /** The removals that the next sweep has to try again. */
  const due: (() => Promise<unknown>)[] = [];
  let names = 0;
  let seen = new Map<string, { version: string; since: number }>();
  /** The heartbeats of other processes as requests last saw them, and since when each has been the same. */
  const lastSeen = new Map<string, { heartbeat: string; since: number }>();
  let timer: NodeJS.Timeout | undefined;
  /** Resolves once the first heartbeat is there; undefined while there is none. */
  let shown: Promise<void> | undefined;
  /** The heartbeats are sent one after the other, so that the last one takes effect. */
  const next = inOrder();

  const sendHeartbeat = () => next(() => bucket.put(`${ALIVE}${own}`, randomBytes(8)));

  /** Sends the next heartbeat, or removes the object once there has been nothing unfinished for a while. */
  function beat(): Promise<void> {
    if (held.size > 0) return sendHeartbeat();
    clearInterval(timer);
    [timer, shown] = [undefined, undefined];
    return next(() => bucket.remove([`${ALIVE}${own}`]));
  }

  /** `<process>.<number>`: a name that nothing else in the bucket has. */
  function nextName(): string {
    names += 1;
    return `${own}.${names}`;
  }

  /** Begins unfinished work: a name, or a key with one. Resolves once other processes can see that this one is alive. */
  async function hold(work: string): Promise<void> {
    const name = nameIn(work);
    held.add(name);
    // A failure is ignored: the next heartbeat follows soon, or the object counts as dead.
    timer ??= setInterval(() => beat().catch(() => {}), HEARTBEAT_MS).unref();
    shown ??= sendHeartbeat();
    await shown.catch((error: unknown) => {
      shown = undefined;
      held.delete(name);
      throw error;
    });
  }

  /** Ends unfinished work: nothing that it noted is to be removed any more. */
  async function release(work: string): Promise<void> {
    const name = nameIn(work);
    if (noted.delete(name)) await bucket.remove([REMOVING + name]).catch(() => {});
    held.delete(name);
  }

  /** Never rejects: a removal that fails is tried again by each sweep. It must be one that can be repeated. */
  async function retryLater(removal: () => Promise<unknown>): Promise<void> {
    await removal().catch(() => due.push(removal));
  }

  /** Whether a process is known to be working on this. */
  async function isInUse(work: string): Promise<boolean> {
    const name = nameIn(work);
    const [process = ''] = name.split('.');
    return process === own ? held.has(name) : (await bucket.get(`${ALIVE}${process}`)) !== undefined;
  }

  /** Whether the process of some work is alive. `elapsedMs`: monotonic clock. */
  async function isAlive(work: string, elapsedMs: number): Promise<boolean> {
    const name = nameIn(work);
    const [process = ''] = name.split('.');
    if (process === own) return held.has(name);
    const heartbeat = (await bucket.get(`${ALIVE}${process}`))?.toString('hex');
    const last = lastSeen.get(process);
    lastSeen.delete(process);
    if (heartbeat === undefined) return false;
    const since = heartbeat === last?.heartbeat ? last.since : elapsedMs;
    lastSeen.set(process, { heartbeat, since });
    return elapsedMs - since < GONE_AFTER_MS;
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
    const dead = [...present].filter(([, { since }]) => now - since > DEAD_AFTER_MS);
    await bucket.remove(dead.map(([key]) => key).filter((key) => key !== `${ALIVE}${own}`));
  }

  return {
    nextName,
    hold,
    release,
    isInUse,
    isAlive,
    retryLater,

    /** Notes what held work is about to store, so that a sweep removes it when this process dies. Replaces an earlier note. */
    async note(work: string, removal: Removal): Promise<void> {
      await hold(work);
      noted.add(nameIn(work));
      await bucket.put(REMOVING + nameIn(work), Buffer.from(JSON.stringify(removal)));
    },

    /** Removes what nobody continues. */
    async sweep(now: number, swept: Swept, failures: Failures): Promise<void> {
      for (const removal of due.splice(0)) await retryLater(removal);
      await attempt(failures, ALIVE, () => removeDead(now));
      for (const upload of await bucket.listUploads(BYTES)) {
        if (await isInUse(upload.key)) continue;
        await attempt(failures, upload.key, async () => {
          await bucket.abortUpload(upload);
          if (!upload.key.startsWith(`${BYTES}${own}.`)) swept.stagedUploads += 1;
        });
      }
    },

    /** Ends the heartbeat. Resolves when the last one has been answered. */
    async close(): Promise<void> {
      clearInterval(timer);
      if (shown && held.size === 0) await beat().catch(() => {});
      await next(async () => {});
    },
  };
}

/** `<process>.<number>` of a key that ends with it. */
function nameIn(key: string): string {
  return key.slice(key.lastIndexOf('/') + 1);
}

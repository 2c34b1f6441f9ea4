import { randomBytes } from 'node:crypto';
import { inOrder } from '../../../domain/serial.ts';
import type { Swept } from '../../storage.ts';
import { attempt, type Failures } from '../failures.ts';
import type { S3Bucket } from './bucket.ts';
import { createHeartbeatWatch } from './heartbeat-watch.ts';
import { ALIVE, BYTES, REMOVING, type Removal } from './keys.ts';

/** A process with unfinished work writes its heartbeat object at this interval. */
const HEARTBEAT_MS = 5_000;
/** Requests stop waiting for a process when its object has stayed unchanged for two heartbeats. */
const GONE_AFTER_MS = 2 * HEARTBEAT_MS;
/** A process counts as dead when its object has been seen unchanged for so long. */
const DEAD_AFTER_MS = 20_000;

/**
 * Names the objects of this process, shows other processes that it is alive while it has not finished them, and keeps track of
 * what it could not remove. A process is dead when its heartbeat object is missing, or stays unchanged. A lifecycle rule of the
 * bucket would keep the parts of a crash for days. Work is a name, or a key that ends with one.
 */
export interface S3Staging {
  /** `<process>.<number>`: a name that nothing else in the bucket has. */
  nextName(): string;
  /** Begins unfinished work. Resolves once other processes can see that this one is alive. */
  hold(work: string): Promise<void>;
  /** Notes what held work is about to store, so that a sweep removes it when this process dies. Replaces an earlier note. */
  note(work: string, removal: Removal): Promise<void>;
  /** Ends unfinished work: nothing that it noted is to be removed any more. */
  release(work: string): Promise<void>;
  /** Whether a process is known to be working on this. */
  isInUse(work: string): Promise<boolean>;
  /** Whether the process of some work is alive. `elapsedMs`: monotonic clock. */
  isAlive(work: string, elapsedMs: number): Promise<boolean>;
  /** Never rejects: a removal that fails is tried again by each sweep. It must be one that can be repeated. */
  retryLater(removal: () => Promise<unknown>): Promise<void>;
  /** Removes what nobody continues. `now`: ms since 1970. */
  sweep(now: number, swept: Swept, failures: Failures): Promise<void>;
  /** Ends the heartbeat. Resolves when the last one has been answered. */
  close(): Promise<void>;
}

export function openStaging(bucket: S3Bucket): S3Staging {
  const own = randomBytes(8).toString('hex');
  /** The names of the unfinished work of this process, and of its notes. */
  const held = new Set<string>();
  const noted = new Set<string>();
  /** The removals that the next sweep has to try again. */
  const due: (() => Promise<unknown>)[] = [];
  let names = 0;
  /** What sweeps have seen in listings, by the wall clock. */
  const listed = createHeartbeatWatch();
  /** What requests have read, by the monotonic clock. */
  const read = createHeartbeatWatch();
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
    timer = undefined;
    shown = undefined;
    return next(() => bucket.remove([`${ALIVE}${own}`]));
  }

  function nextName(): string {
    names += 1;
    return `${own}.${names}`;
  }

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

  async function release(work: string): Promise<void> {
    const name = nameIn(work);
    if (noted.delete(name)) await bucket.remove([REMOVING + name]).catch(() => {});
    held.delete(name);
  }

  async function retryLater(removal: () => Promise<unknown>): Promise<void> {
    await removal().catch(() => due.push(removal));
  }

  async function isInUse(work: string): Promise<boolean> {
    const name = nameIn(work);
    const [process = ''] = name.split('.');
    return process === own ? held.has(name) : (await bucket.get(`${ALIVE}${process}`)) !== undefined;
  }

  async function isAlive(work: string, elapsedMs: number): Promise<boolean> {
    const name = nameIn(work);
    const [process = ''] = name.split('.');
    if (process === own) return held.has(name);
    const heartbeat = (await bucket.get(`${ALIVE}${process}`))?.toString('hex');
    if (heartbeat === undefined) {
      read.forget(process);
      return false;
    }
    return read.note(process, heartbeat, elapsedMs) < GONE_AFTER_MS;
  }

  /** Removes the heartbeat objects of processes that count as dead. */
  async function removeDead(now: number): Promise<void> {
    const present = new Set<string>();
    const dead: string[] = [];
    for await (const { objects } of bucket.pages(ALIVE)) {
      for (const { key, version } of objects) {
        present.add(key);
        const isUnchanged = listed.note(key, version, now) > DEAD_AFTER_MS;
        if (isUnchanged && key !== `${ALIVE}${own}`) dead.push(key);
      }
    }
    listed.keepOnly(present);
    await bucket.remove(dead);
  }

  return {
    nextName,
    hold,
    release,
    isInUse,
    isAlive,
    retryLater,

    async note(work, removal) {
      await hold(work);
      noted.add(nameIn(work));
      await bucket.put(REMOVING + nameIn(work), Buffer.from(JSON.stringify(removal)));
    },

    async sweep(now, swept, failures) {
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

    async close() {
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

import { randomBytes } from 'node:crypto';
import type { Bucket } from './bucket.ts';
import { createHeartbeat } from './heartbeat.ts';
import { BYTES } from './keys.ts';
import type { MultipartUpload } from './multipart.ts';

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

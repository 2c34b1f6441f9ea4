import { randomBytes } from 'node:crypto';
import type { Bucket } from './bucket.ts';
import { createHeartbeat } from './heartbeat.ts';
import { BYTES } from './keys.ts';

export type Staging = ReturnType<typeof openStaging>;

/** Names the objects of this process, and keeps track of what it has not finished or could not remove. */
export function openStaging(bucket: Bucket, clock: () => number) {
  const own = randomBytes(8).toString('hex');
  const heartbeat = createHeartbeat(bucket, own, clock);
  /** The multipart uploads of this process by their keys: how each is discarded, and how its heartbeat ends. */
  const active = new Map<string, { discard: () => Promise<void>; release: () => void }>();
  /** The removals that the next sweep has to try again. */
  let due: (() => Promise<unknown>)[] = [];
  let uploads = 0;

  /** Never rejects: a removal that fails is tried again by each sweep. It must be one that can be repeated. */
  async function attempt(removal: () => Promise<unknown>): Promise<void> {
    await removal().catch(() => due.push(removal));
  }

  /** `<process>.<number>`: a name that nothing else in the bucket has. */
  function nextName(): string {
    uploads += 1;
    return `${own}.${uploads}`;
  }

  /** To be called when a multipart upload has been completed or aborted. */
  function end(key: string): void {
    active.get(key)?.release();
    active.delete(key);
  }

  async function isInUse(key: string): Promise<boolean> {
    const [name = ''] = key.slice(BYTES.length).split('.');
    return name === own ? active.has(key) : heartbeat.isAlive(name);
  }

  return {
    attempt,
    end,
    nextName,
    /** A key that no other staged upload has. */
    nextKey: (): string => `${BYTES}${nextName()}`,

    /** Shows other processes that this one is alive. Resolves with the function that ends it. */
    hold: (): Promise<() => void> => heartbeat.start(),
    /** Whether a process has unfinished work and has not been found dead. */
    isAlive: heartbeat.isAlive,

    /**
     * Begins a multipart upload, which other processes do not abort while this one lives. Resolves with its id. `discard` is
     * called when the storage is closed before the upload has ended.
     */
    async begin(key: string, discard: () => Promise<void>): Promise<string> {
      active.set(key, { discard, release: await heartbeat.start() });
      return bucket.beginUpload(key);
    },

    /** Never rejects: a sweep aborts what this could not, or what a request has begun that got no answer. */
    async abort(key: string, uploadId: string | undefined): Promise<void> {
      if (uploadId !== undefined) await bucket.abortUpload({ key, uploadId }).catch(() => {});
      end(key);
    },

    /** Aborts the uploads that nobody continues. Resolves with the number of them that dead processes have left. */
    async sweep(now: number): Promise<number> {
      const again = due;
      due = [];
      for (const removal of again) await attempt(removal);
      await heartbeat.removeDead(now);
      let removed = 0;
      for (const upload of await bucket.listUploads(BYTES)) {
        if (await isInUse(upload.key)) continue;
        await bucket.abortUpload(upload);
        if (!upload.key.startsWith(`${BYTES}${own}.`)) removed += 1;
      }
      return removed;
    },

    /** Discards the staged uploads of this process. */
    async close(): Promise<void> {
      await Promise.all([...active.values()].map(({ discard }) => discard()));
      await heartbeat.close();
    },
  };
}

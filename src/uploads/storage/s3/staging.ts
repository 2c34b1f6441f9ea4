import { randomBytes } from 'node:crypto';
import type { Bucket } from './bucket.ts';
import { createHeartbeat } from './heartbeat.ts';
import { ALIVE, BYTES } from './keys.ts';
import type { MultipartUpload } from './multipart.ts';

export type Staging = ReturnType<typeof openStaging>;

/** Names the objects of this process, and keeps track of its unfinished multipart uploads. */
export function openStaging(bucket: Bucket, prefix: string, clock: () => number) {
  const own = randomBytes(8).toString('hex');
  const heartbeat = createHeartbeat({ bucket, prefix: `${prefix}${ALIVE}`, own, clock });
  const active = new Map<MultipartUpload, () => void>();
  const toAbort = new Set<MultipartUpload>();
  let uploads = 0;

  /** Ends the tracking of a multipart upload that is completed or aborted. */
  function forget(upload: MultipartUpload): void {
    active.get(upload)?.();
    active.delete(upload);
  }

  /** Never rejects: an upload that cannot be aborted now is aborted by a later sweep. */
  async function abort(upload: MultipartUpload): Promise<void> {
    toAbort.add(upload);
    try {
      await bucket.parts.abort(upload);
      toAbort.delete(upload);
      forget(upload);
    } catch {
      // The bucket has reported the failure. The heartbeat goes on until the upload is aborted.
    }
  }

  return {
    /** A key that no other staged upload has, without the prefix. */
    nextKey(): string {
      uploads += 1;
      return `${BYTES}${own}.${uploads}`;
    },

    /** Begins a multipart upload, which other processes do not abort while this one lives. */
    async begin(key: string): Promise<MultipartUpload> {
      const release = await heartbeat.start();
      try {
        const upload = await bucket.parts.begin(`${prefix}${key}`);
        active.set(upload, release);
        return upload;
      } catch (error) {
        release();
        throw error;
      }
    },

    forget,
    abort,

    /** Aborts what dead processes left. Resolves with the number of their staged uploads. */
    async sweep(now: number): Promise<number> {
      for (const upload of toAbort) await abort(upload);
      let removed = 0;
      for (const name of await heartbeat.findDead(now)) {
        const unfinished = await bucket.parts.list(`${prefix}${BYTES}${name}.`);
        for (const upload of unfinished) await bucket.parts.abort(upload);
        removed += unfinished.length;
        // A last request of a dead process may arrive late, so it is forgotten only when nothing of it was found.
        if (unfinished.length === 0) await heartbeat.forget(name);
      }
      return removed;
    },

    /** To be called after the last staged upload has ended. */
    close: () => heartbeat.close(),
  };
}

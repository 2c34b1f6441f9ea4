import { randomBytes } from 'node:crypto';
import type { Bucket } from './bucket.ts';
import { createHeartbeat, type Heartbeat } from './heartbeat.ts';
import { ALIVE, BYTES } from './keys.ts';
import type { Unfinished } from './multipart.ts';

/** Where the bytes of this process go, and which of them are drafts in parts. */
export interface Staging {
  /** A key no other draft has, without the prefix. */
  nextKey(): string;
  /** Begins a draft in parts; others leave it alone while this process lives. */
  begin(key: string): Promise<Unfinished>;
  /** Such a draft is completed. */
  forget(upload: Unfinished): void;
  /** Never rejects: what cannot be aborted now is so by a sweep. */
  abort(upload: Unfinished): Promise<void>;
  /** Aborts what dead processes left; resolves with how many drafts that was. */
  sweep(now: number): Promise<number>;
  /** After the last draft. */
  close(): Promise<void>;
}

export function openStaging(bucket: Bucket, prefix: string, clock: () => number): Staging {
  const own = randomBytes(8).toString('hex');
  const beats = createHeartbeat({ bucket, prefix: `${prefix}${ALIVE}`, own, clock });
  const live = new Map<Unfinished, () => void>();
  const given = new Set<Unfinished>();
  let drafts = 0;

  function forget(upload: Unfinished): void {
    live.get(upload)?.();
    live.delete(upload);
  }

  async function abort(upload: Unfinished): Promise<void> {
    given.add(upload);
    try {
      await bucket.parts.abort(upload);
      given.delete(upload);
      forget(upload);
    } catch {
      // S3 has told of it. The process shows that it lives until this is done.
    }
  }

  return {
    nextKey() {
      drafts += 1;
      return `${BYTES}${own}.${drafts}`;
    },

    async begin(key) {
      const release = await beats.hold();
      try {
        const upload = await bucket.parts.begin(`${prefix}${key}`);
        live.set(upload, release);
        return upload;
      } catch (error) {
        release();
        throw error;
      }
    },

    forget,
    abort,

    async sweep(now) {
      for (const upload of given) await abort(upload);
      return sweepDead({ bucket, prefix, beats, now });
    },

    close: () => beats.close(),
  };
}

interface SweepOptions {
  bucket: Bucket;
  prefix: string;
  beats: Heartbeat;
  now: number;
}

/** A dead process is forgotten only when nothing of it was found: a part may still have been on its way. */
async function sweepDead({ bucket, prefix, beats, now }: SweepOptions): Promise<number> {
  let removed = 0;
  for (const name of await beats.findDead(now)) {
    const left = await bucket.parts.unfinished(`${prefix}${BYTES}${name}.`);
    for (const upload of left) await bucket.parts.abort(upload);
    removed += left.length;
    if (left.length === 0) await beats.forget(name);
  }
  return removed;
}

import type { Storage } from '../storage.ts';
import { parseS3Url } from './s3-address.ts';
import { openBucket } from './s3-bucket.ts';
import { type DraftPlace, stageDraft } from './s3-draft.ts';
import { fileOf, readEntry } from './s3-file.ts';
import { descriptionKey, idsIn, sweepHours } from './s3-hours.ts';

/** Nobody can tell whose an upload in parts is: longer than this none takes. */
const DEAD_AFTER_MS = 86_400_000;
/** Descriptions that are read at once. */
const AT_ONCE = 16;

/** Keeps uploads in a bucket. `clock` tells ms since 1970. docs/decisions/0012 says why it lies there as it does. */
export function openS3Storage(url: string, clock: () => number): Storage {
  const bucket = openBucket(parseS3Url(url));
  const drafts: DraftPlace['drafts'] = new Set();

  async function find(id: string) {
    const key = descriptionKey(id);
    return key === undefined ? undefined : readEntry(bucket, key);
  }

  async function readUsage(id: string) {
    const entry = await find(id);
    if (!entry) return [];
    const { owner, size, uploadedAt } = entry.description;
    return [{ id, owner, size, uploadedAt }];
  }

  return {
    stage: (stream, options) => stageDraft(stream, { bucket, drafts, clock }, options),

    async open(id) {
      const entry = await find(id);
      return entry && fileOf(bucket, entry);
    },

    async remove(id) {
      const entry = await find(id);
      if (!entry) return false;
      await bucket.remove([descriptionKey(id)!]);
      await bucket.remove([entry.bytes]);
      return true;
    },

    async sweep(now) {
      return {
        files: await sweepHours(bucket, now),
        drafts: await bucket.abortBegunBefore(now - DEAD_AFTER_MS),
      };
    },

    async *usage() {
      for await (const ids of idsIn(bucket)) {
        for (let from = 0; from < ids.length; from += AT_ONCE) {
          const some = ids.slice(from, from + AT_ONCE);
          yield* (await Promise.all(some.map(readUsage))).flat();
        }
      }
    },

    freeBytes: async () => Number.POSITIVE_INFINITY,

    async close() {
      await Promise.allSettled([...drafts].map((draft) => draft.discard()));
      bucket.close();
    },
  };
}

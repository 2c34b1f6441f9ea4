import { isExpired, type UploadId } from '../../../domain/upload.ts';
import type { Usage } from '../../storage.ts';
import { expiryHourOf, isExpiryHour } from '../objects.ts';
import type { Bucket, Page } from './bucket.ts';
import { parseKey } from './keys.ts';

/** The published files by the UTC hour in which they expire. It needs listings only, and reads no object. */
export function openExpiryFolders(bucket: Bucket) {
  const pagesOf = (hour: string) => bucket.pages(`${hour}/`);

  /** Removes summaries last, so that the next sweep finds what an interrupted one leaves. */
  async function removeAll(keys: string[]): Promise<void> {
    const bytesOf = (key: string) => parseKey(key)?.summary?.bytes;
    await bucket.remove(keys.map((key) => bytesOf(key) ?? key));
    await bucket.remove(keys.filter(bytesOf));
  }

  /** Removes all of an hour that is over. Keys are sorted by expiry, so it stops at the first files that have not expired. */
  async function sweepHour(hour: string, now: number): Promise<number> {
    const isOver = hour < expiryHourOf(now);
    let removed = 0;
    for await (const { objects } of pagesOf(hour)) {
      const due = objects.filter(({ key }) => isOver || hasExpired(key, now)).map(({ key }) => key);
      await removeAll(due);
      removed += due.filter(isDescription).length;
      if (due.length < objects.length) break;
    }
    return removed;
  }

  return {
    async *usage(): AsyncGenerator<Usage, void> {
      for await (const hour of hoursIn(bucket)) yield* usageIn(pagesOf(hour));
    },

    /** Resolves with the number of files that had expired. */
    async sweep(now: number): Promise<number> {
      let removed = 0;
      for await (const hour of hoursIn(bucket)) {
        if (hour > expiryHourOf(now)) break;
        removed += await sweepHour(hour, now);
      }
      return removed;
    },
  };
}

/** Yields the hours of the bucket, sorted. */
async function* hoursIn(bucket: Bucket): AsyncGenerator<string, void> {
  for await (const { folders } of bucket.pages('', true))
    yield* folders.map((name) => name.slice(0, -1)).filter(isExpiryHour);
}

/** A description is listed right before its summary. A summary without a description belongs to a file that is not visible. */
async function* usageIn(pages: AsyncIterable<Page>): AsyncGenerator<Usage, void> {
  let describedId: UploadId | undefined;
  for await (const { objects } of pages) {
    for (const { key } of objects) {
      const { id, summary } = parseKey(key) ?? {};
      if (id !== undefined && summary && id === describedId) {
        const { owner, size, uploadedAt } = summary;
        yield { id, owner, size, uploadedAt };
      }
      if (!summary) describedId = id;
    }
  }
}

function hasExpired(key: string, now: number): boolean {
  const parsed = parseKey(key);
  return parsed !== undefined && isExpired(parsed.id, now);
}

function isDescription(key: string): boolean {
  const parsed = parseKey(key);
  return parsed !== undefined && !parsed.summary;
}

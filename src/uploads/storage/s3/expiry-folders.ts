import { expiryOf } from '../../../domain/upload.ts';
import type { Usage } from '../../storage.ts';
import { expiryHourOf, isExpiryHour } from '../expiry-hour.ts';
import type { Bucket } from './bucket.ts';
import { parseKey } from './keys.ts';
import type { Page } from './objects.ts';

/** Visible files, by the hour (UTC) in which they expire: all that a listing tells, without reading one of them. */
export function openExpiryFolders(bucket: Bucket, prefix: string) {
  /** Sorted. */
  async function* hours(): AsyncGenerator<string, void> {
    for await (const { folders } of bucket.list(prefix, true)) {
      for (const folder of folders) {
        const hour = folder.slice(prefix.length, -1);
        if (isExpiryHour(hour)) yield hour;
      }
    }
  }

  const pagesOf = (hour: string) => bucket.list(`${prefix}${hour}/`);

  /** Notes last: what is left when this breaks off is found by the next sweep. */
  async function removeAll(keys: string[]): Promise<void> {
    const { notes = [], others = [] } = Object.groupBy(keys, (key) =>
      parseKey(key)?.note ? 'notes' : 'others',
    );
    const bytes = notes.map((key) => `${prefix}${parseKey(key)!.note!.bytes}`);
    await bucket.remove([...others, ...bytes]);
    await bucket.remove(notes);
  }

  /** An hour that is over goes as a whole. In the one under way, ids are sorted by their expiry. */
  async function sweepHour(hour: string, now: number): Promise<number> {
    const isOver = hour < expiryHourOf(now);
    let removed = 0;
    for await (const { objects } of pagesOf(hour)) {
      const due = objects.filter(({ key }) => isOver || isExpired(key, now)).map(({ key }) => key);
      await removeAll(due);
      removed += due.filter(isDescription).length;
      if (due.length < objects.length) break;
    }
    return removed;
  }

  return {
    async *usage(): AsyncGenerator<Usage, void> {
      for await (const hour of hours()) yield* usageIn(pagesOf(hour));
    },

    /** Resolves with how many files had expired. */
    async sweep(now: number): Promise<number> {
      let removed = 0;
      for await (const hour of hours()) {
        if (hour > expiryHourOf(now)) break;
        removed += await sweepHour(hour, now);
      }
      return removed;
    },
  };
}

/** A description comes right before its note; a note without one is of a file that nobody sees. */
async function* usageIn(pages: AsyncIterable<Page>): AsyncGenerator<Usage, void> {
  let described: string | undefined;
  for await (const { objects } of pages) {
    for (const { key } of objects) {
      const { id, note } = parseKey(key) ?? {};
      if (id !== undefined && note && id === described) {
        const { owner, size, uploadedAt } = note;
        yield { id, owner, size, uploadedAt };
      }
      if (!note) described = id;
    }
  }
}

function isExpired(key: string, now: number): boolean {
  const expiry = expiryOf(parseKey(key)?.id ?? '');
  return expiry !== undefined && expiry <= now;
}

function isDescription(key: string): boolean {
  const parsed = parseKey(key);
  return parsed !== undefined && !parsed.note;
}

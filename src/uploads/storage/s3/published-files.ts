import { bytesOnDisk, occupiedBytes } from '../../../domain/disk-usage.ts';
import { inBatches } from '../../../domain/serial.ts';
import { isExpired, parseUploadId, type UploadId } from '../../../domain/upload-id.ts';
import {
  RemovedFileError,
  type Storage,
  type StorageContents,
  type Swept,
  type Usage,
} from '../../storage.ts';
import { attempt, type Failures } from '../failures.ts';
import { expiryHourOf, inFolder, isExpiryHour, placeOf } from '../objects.ts';
import type { S3Bucket } from './bucket.ts';
import {
  keysBeside,
  type Manifest,
  parseKey,
  REMOVING,
  type Removal,
  summaryOf,
  type Withdrawn,
} from './keys.ts';
import { readObjectRange } from './read.ts';
import type { S3Staging } from './staging.ts';

/** How much of a manifest's object is read at first: all of most small files. */
const HEAD = { start: 0, end: 64 * 1024 - 1 };
const LINE_END = 10;
const UNREADABLE = { owner: '', size: bytesOnDisk(1), uploadedAt: 0 };

/** Files that are visible: each is a manifest, its bytes, and a summary. They are in folders by the UTC hour of their expiry. */
export interface PublishedFiles
  extends Pick<Storage, 'open' | 'remove' | 'usage'>,
    Pick<StorageContents, 'ids' | 'putMark'> {
  isPublished(id: UploadId): Promise<boolean>;
  /**
   * Publishes a file. A small one, whose `bytes` are in the object of the manifest, is visible and whole once that is there. The
   * bytes of a larger one are stored first, unless they are stored already, and noted until the file is visible, so that a
   * sweep finds what a crash leaves.
   */
  publish(
    id: UploadId,
    manifest: Manifest,
    bytes: Buffer | undefined,
    requireGranted: () => void,
  ): Promise<void>;
  /** Removes what a publication has left that failed. */
  retract(id: UploadId, manifest: Manifest): Promise<void>;
  /**
   * Finishes the removals that were interrupted, and removes what publications have left that were, unless their files are
   * visible.
   */
  finishRemovals(swept: Swept, failures: Failures): Promise<void>;
  /** Removes files that have expired, by listings alone. */
  sweep(now: number, swept: Swept, failures: Failures): Promise<void>;
}

export function openPublishedFiles(bucket: S3Bucket, staging: S3Staging): PublishedFiles {
  const write = (key: string, content: Manifest | Withdrawn | Removal, bytes?: Buffer) =>
    bucket.put(key, Buffer.concat([Buffer.from(`${JSON.stringify(content)}\n`), bytes ?? Buffer.alloc(0)]));

  const writeSummary = (id: UploadId, manifest: Manifest) =>
    bucket.put(summaryOf(id, manifest), Buffer.alloc(0));

  /** Resolves with a manifest, where in its object the bytes begin, and those of them that were read with it. */
  async function find(id: UploadId) {
    const first = await bucket.get(placeOf(id), HEAD);
    // Files of an earlier version have no line end.
    const isCut = first !== undefined && first.length > HEAD.end && !first.includes(LINE_END);
    const read = isCut ? await bucket.get(placeOf(id)) : first;
    if (!read) return undefined;
    const offset = read.includes(LINE_END) ? read.indexOf(LINE_END) + 1 : read.length;
    const content: Manifest | Withdrawn = JSON.parse(read.toString('utf8', 0, offset));
    return { content, offset, beginning: read.subarray(offset) };
  }

  const isPublished = async (id: UploadId) => (await bucket.get(placeOf(id), HEAD)) !== undefined;

  /** What its summary still names of a file whose manifest is damaged or replaced. */
  async function listBeside(id: UploadId): Promise<string[]> {
    const summaries = await Array.fromAsync(bucket.list(`${placeOf(id)}.`));
    return summaries.flatMap((key) => [parseKey(key)?.summary?.bytes ?? [], key].flat());
  }

  /** Makes a file invisible. */
  const hide = (id: UploadId, { mark }: Removal): Promise<void> =>
    mark ? write(placeOf(id), { mark }) : bucket.remove([placeOf(id)]);

  async function removeRest(name: string, { keys }: Removal): Promise<void> {
    for (const key of [...keys, REMOVING + name]) await bucket.remove([key]);
  }

  /** Yields the hours of the bucket, sorted. */
  async function* hours(): AsyncGenerator<string, void> {
    for await (const { folders } of bucket.pages('', true))
      yield* folders.map((name) => name.slice(0, -1)).filter(isExpiryHour);
  }

  /**
   * Removes all of an hour that is over. Keys are sorted by expiry, so it stops at the first files that have not expired; and
   * where S3 refuses every removal.
   */
  async function sweepHour(hour: string, now: number, swept: Swept, failures: Failures): Promise<void> {
    const isOver = hour < expiryHourOf(now);
    const isDue = (key: string) => {
      const { id } = parseKey(key) ?? {};
      return isOver || (id !== undefined && isExpired(id, now));
    };
    /** A summary comes after the bytes that it names, so that the next sweep finds what an interrupted one leaves. */
    const remove = (key: string) =>
      // What a summary belongs to has the first part of its key.
      attempt(failures, key.split('.', 1)[0]!, async () => {
        const { id, summary } = parseKey(key) ?? {};
        if (summary?.bytes) await bucket.remove([summary.bytes]);
        await bucket.remove([key]);
        if (id && !summary) swept.files += 1;
        return true;
      });
    for await (const { objects } of bucket.pages(`${hour}/`)) {
      const due = objects.map(({ key }) => key).filter(isDue);
      const removed = await Array.fromAsync(inBatches(due, remove));
      if (due.length < objects.length || !removed.includes(true)) break;
    }
  }

  /** The usage of a description without a summary, before which its process died. Null for a withdrawn file. */
  async function readUsage(id: UploadId): Promise<Omit<Usage, 'id'> | null> {
    const { content } = (await find(id)) ?? {};
    if (!content || 'mark' in content) return null;
    await writeSummary(id, content);
    const { owner, uploadedAt } = content.description;
    return { owner, size: occupiedBytes(content.description), uploadedAt };
  }

  async function finishRemoval(name: string, swept: Swept): Promise<void> {
    const note = (await staging.isInUse(name)) ? undefined : await bucket.get(REMOVING + name);
    const removal: Removal | undefined = note && JSON.parse(note.toString());
    const file = parseUploadId(name);
    if (removal && file !== undefined) await hide(file, removal);
    const isVisible = file === undefined && removal?.id !== undefined && (await isPublished(removal.id));
    if (removal) await removeRest(name, isVisible ? { keys: [] } : removal);
    if (file !== undefined) swept.removed.push(file);
  }

  return {
    isPublished,

    async *ids() {
      for await (const hour of hours()) {
        for await (const key of bucket.list(`${hour}/`)) {
          const { id, summary } = parseKey(key) ?? {};
          if (id !== undefined && !summary) yield id;
        }
      }
    },

    putMark: (id, mark) => write(placeOf(id), { mark }),

    async open(id) {
      const found = await find(id);
      if (!found) return undefined;
      const { content, offset, beginning } = found;
      if ('mark' in content) throw new RemovedFileError(content.mark);
      const { bytes, description } = content;
      return {
        description,
        ...(bytes !== undefined && { presign: (...of) => bucket.presign(bytes, ...of) }),
        async read({ start, end } = { start: 0, end: description.size - 1 }) {
          if (bytes !== undefined) return readObjectRange(bucket, bytes, { start, end });
          if (end < beginning.length) return beginning.subarray(start, end + 1);
          return readObjectRange(bucket, placeOf(id), { start: offset + start, end: offset + end });
        },
      };
    },

    async publish(id, manifest, bytes, requireGranted) {
      if (manifest.bytes !== undefined) {
        await staging.note(manifest.bytes, { id, keys: keysBeside(id, manifest) });
        await Promise.all([bytes && bucket.put(manifest.bytes, bytes), writeSummary(id, manifest)]);
        requireGranted();
        return write(placeOf(id), manifest);
      }
      requireGranted();
      await write(placeOf(id), manifest, bytes);
      await writeSummary(id, manifest);
    },

    async retract(id, manifest) {
      await bucket.remove([placeOf(id)]);
      await bucket.remove(keysBeside(id, manifest));
    },

    /** Notes what is to be removed before it removes anything, so that a sweep finishes what this cannot. */
    async remove(id, mark) {
      const found = await find(id).catch(unlessDamaged);
      const content = found?.content;
      if (!found || (content && 'mark' in content && !mark)) return false;
      const keys = content && 'description' in content ? keysBeside(id, content) : await listBeside(id);
      const removal = { keys, mark };
      await write(REMOVING + id, removal);
      await hide(id, removal);
      await removeRest(id, removal).catch(() => {});
      return true;
    },

    async finishRemovals(swept, failures) {
      for (const name of await Array.fromAsync(inFolder(bucket, REMOVING).list('')))
        await attempt(failures, REMOVING + name, () => finishRemoval(name, swept));
    },

    async sweep(now, swept, failures) {
      for await (const hour of hours()) {
        if (hour > expiryHourOf(now)) break;
        await attempt(failures, `${hour}/`, () => sweepHour(hour, now, swept, failures));
      }
    },

    /** A summary without a description belongs to a file that is not visible. */
    async *usage(failures = new Map()) {
      for await (const hour of hours()) {
        const found = new Map<UploadId, Omit<Usage, 'id'> | undefined>();
        for await (const key of bucket.list(`${hour}/`)) {
          const { id, summary } = parseKey(key) ?? {};
          if (id !== undefined && (!summary || found.has(id))) found.set(id, summary);
        }
        for (const [id, known] of found) {
          const usage = known ?? (await attempt(failures, placeOf(id), () => readUsage(id)));
          if (usage !== null) yield { id, ...(usage ?? UNREADABLE) };
        }
      }
    },
  };
}

/** A manifest that is damaged is no JSON. Its file can be removed. */
function unlessDamaged(error: unknown): { content?: undefined } {
  if (error instanceof SyntaxError) return {};
  throw error;
}

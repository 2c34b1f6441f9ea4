import { resumableBytes } from '../../domain/disk-usage.ts';
import { AppError } from '../../domain/errors.ts';
import { expiryOf, isExpired, parseUploadId, type UploadId } from '../../domain/upload-id.ts';
import {
  type Announcement,
  BYTELESS_LIFE_MS,
  type LockedUpload,
  type ResumableState,
  type ResumableStorage,
  type StoredResumable,
  uploadLocked,
} from '../resumable/resumable-storage.ts';
import type { Chunks, StagedUpload, Swept, Usage } from '../storage.ts';
import { attempt, type Failures } from './failures.ts';
import { folderOf, hasBytes, inFolder, listUploads, type Objects } from './objects.ts';

/** The longest that a first request may need, between the check of the time and the sign that bytes are arriving. */
const MAX_START_MS = 60_000;

/** Exists while another process waits for the writing process. */
const WAITING = 'waiting';

/** Appends to the bytes of an upload, as `LockedUpload` says, and can read all of them. */
export interface BytesWriter
  extends Pick<LockedUpload, 'startUnverified' | 'append' | 'commit' | 'rollback' | 'stage' | 'release'> {
  /** The number of bytes at the time of the lock. */
  readonly offset: number;
}

/** The bytes of resumable uploads, as a storage keeps them in the folders of the uploads. */
export interface UploadBytes {
  /** The number of bytes, of an upload of `length` bytes, that a power cut cannot undo. */
  offsetOf(key: UploadId, length: number): Promise<number>;
  /** Undefined when there is no folder of the upload. Throws AppError `locked`. */
  open(key: UploadId, length: number): Promise<BytesWriter | undefined>;
  /** Reads the bytes of an upload from `start` to before `end`, which have been acknowledged. */
  read(key: UploadId, start: number, end: number): Chunks;
  /** Whether a living process writes. `elapsedMs`: monotonic clock. */
  isHeld(key: UploadId, elapsedMs: number): Promise<boolean>;
  /** Whether bytes have arrived or are arriving. */
  hasBegun(key: UploadId): Promise<boolean>;
  /** Removes what requests have left, where they leave anything. `names`: what a listing has of the upload. */
  sweep?(key: UploadId, names: readonly string[], isPublished: boolean): Promise<void>;
}

/** The part that all storages have in common. `isPublished` says whether there is a file of this id. */
export function openResumable(
  objects: Objects,
  bytes: UploadBytes,
  isPublished: (id: UploadId) => Promise<boolean>,
): ResumableStorage {
  /** Until when complete uploads name their files; ms since 1970. */
  const complete = new Map<UploadId, number>();

  const uploadAt = (key: UploadId): Objects => inFolder(objects, folderOf(key));

  async function readAnnounced(key: UploadId): Promise<Announcement | undefined> {
    const json = await uploadAt(key).get('announced');
    // `create` alone writes such objects.
    return json && (JSON.parse(json.toString()) as Announcement);
  }

  async function readPublishedAs(key: UploadId): Promise<UploadId | undefined> {
    return parseUploadId(String((await uploadAt(key).get('published')) ?? ''));
  }

  async function find(key: UploadId): Promise<ResumableState | undefined> {
    const [announced, publishedAs] = await Promise.all([readAnnounced(key), readPublishedAs(key)]);
    if (!announced) return undefined;
    const offset = publishedAs === undefined ? await bytes.offsetOf(key, announced.length) : announced.length;
    return { announced, offset, publishedAs };
  }

  async function inspect(key: UploadId): Promise<StoredResumable | undefined> {
    const [announced, publishedAs] = await Promise.all([readAnnounced(key), readPublishedAs(key)]);
    if (!announced) return undefined;
    const isComplete = publishedAs !== undefined && (await isPublished(publishedAs));
    const size = isComplete ? 0 : await bytes.offsetOf(key, announced.length);
    return { announced, publishedAs, size, read: (start = 0) => bytes.read(key, start, size) };
  }

  /** Without its announcement an upload does not exist, so what cannot be removed after that is left for a sweep. */
  async function remove(key: UploadId): Promise<void> {
    await uploadAt(key).remove(['announced']);
    await removeRest(key).catch(() => {});
  }

  /** Resolves with whether there was anything of an upload that does not exist. */
  async function removeRest(key: UploadId): Promise<boolean> {
    if (await uploadAt(key).get('announced')) return false;
    const left = await Array.fromAsync(uploadAt(key).list(''));
    await uploadAt(key).remove(left);
    return left.length > 0;
  }

  /** After `writer` has been opened, what is read here is not changed by others. */
  async function lockedUpload(key: UploadId, announced: Announcement, writer: BytesWriter) {
    const publishedAs = await readPublishedAs(key);

    /** Whoever stages an upload discards it after a failure. */
    async function publish(staged: StagedUpload, ...file: Parameters<StagedUpload['publish']>) {
      const other = await readPublishedAs(key);
      if (other !== undefined && other !== publishedAs && (await isPublished(other))) throw uploadLocked();
      // After a crash, a file of that id proves that the upload was published.
      await uploadAt(key).put('published', Buffer.from(file[0]));
      await staged.publish(...file);
    }

    return {
      ...writer,
      state: { announced, offset: publishedAs ? announced.length : writer.offset, publishedAs },
      async stage() {
        if (publishedAs && writer.offset === 0)
          throw new AppError('not-found', 'the file of this upload is gone');
        const staged = await writer.stage();
        return { ...staged, publish: (...file) => publish(staged, ...file) };
      },
      remove: () => remove(key),
    } satisfies LockedUpload;
  }

  /** Until when a complete upload names its file, ms since 1970; 0 for one that is not complete. */
  async function completeUntil(key: UploadId): Promise<number> {
    const known = complete.get(key);
    if (known !== undefined) return known;
    const id = await readPublishedAs(key);
    if (id === undefined || !(await isPublished(id))) return 0;
    complete.set(key, expiryOf(id));
    return expiryOf(id);
  }

  /** Whether nothing of an upload has arrived in time. Listings may lack new objects. */
  async function isForgotten(key: UploadId, now: number): Promise<boolean> {
    const { createdAt = now } = (await readAnnounced(key)) ?? {};
    return createdAt + BYTELESS_LIFE_MS + MAX_START_MS <= now && !(await bytes.hasBegun(key));
  }

  /** Notes what became of an upload that was not complete in time, whose rest was removed, or that names its file. */
  async function sweepUpload(key: UploadId, names: string[], now: number, swept: Swept): Promise<void> {
    async function removeLate(): Promise<void> {
      await remove(key);
      swept.removed.push(key);
      swept.stagedUploads += 1;
    }

    const isPublic = names.includes('published');
    if (isExpired(key, now)) {
      const until = await completeUntil(key);
      if (until > now) return void swept.kept.push(key);
      if (until === 0 && !isPublic) return removeLate();
      await remove(key);
      swept.removed.push(key);
    } else if (!names.includes('announced')) {
      if (await removeRest(key)) swept.removed.push(key);
    } else if (hasBytes(names) || isPublic) {
      await bytes.sweep?.(key, names, isPublic && (await completeUntil(key)) > 0);
    } else if (await isForgotten(key, now)) await removeLate();
  }

  /** Null for what is no upload. The file of a complete one is not counted here. */
  async function usageOf(key: UploadId, names: string[]): Promise<Usage | null> {
    const announced = await readAnnounced(key);
    if (!announced) return null;
    const arrived = hasBytes(names) ? await bytes.offsetOf(key, announced.length) : 0;
    const { owner, createdAt } = announced;
    return { id: key, owner, size: resumableBytes(arrived), uploadedAt: createdAt };
  }

  return {
    create: (key, announced) => uploadAt(key).put('announced', Buffer.from(JSON.stringify(announced))),
    find,
    inspect,
    putPublishedAs: (key, id) => uploadAt(key).put('published', Buffer.from(id)),
    async *keys() {
      const failures: Failures = new Map();
      for await (const { key } of listUploads(objects, failures)) yield key;
      for (const error of failures.values()) throw error;
    },

    async lock(key) {
      const announced = await readAnnounced(key);
      const writer = announced && (await bytes.open(key, announced.length));
      return (
        writer &&
        lockedUpload(key, announced, writer).catch(async (error: unknown) => {
          await writer.release();
          throw error;
        })
      );
    },

    isHeld: bytes.isHeld,
    requestTurn: (key) => uploadAt(key).put(WAITING, Buffer.from('1')),
    isTurnRequested: async (key) => (await uploadAt(key).get(WAITING)) !== undefined,
    endRequest: (key) => uploadAt(key).remove([WAITING]),

    async *usage(failures = new Map()) {
      for await (const { key, names } of listUploads(objects, failures)) {
        const unknown = { id: key, owner: '', size: resumableBytes(0), uploadedAt: 0 };
        const usage = await attempt(failures, folderOf(key), () => usageOf(key, names));
        if (usage !== null) yield usage ?? unknown;
      }
    },

    async sweep(now, swept, failures) {
      const listed = new Set<UploadId>();
      for await (const { key, names } of listUploads(objects, failures)) {
        listed.add(key);
        await attempt(failures, folderOf(key), () => sweepUpload(key, names, now, swept));
      }
      for (const key of complete.keys()) if (!listed.has(key)) complete.delete(key);
    },
  };
}

import { expiryOf, isExpired, parseUploadId, type UploadId } from '../../../domain/upload.ts';
import { BYTELESS_LIFE_MS, type SweepableResumableStorage } from '../../resumable-storage.ts';
import { RESUMABLE } from './keys.ts';
import { beyondParts, MAX_PARTS, PART_BYTES } from './multipart.ts';
import { PieceWriter, type PieceWriterOptions } from './resumable/piece-writer.ts';
import { longestChain, parsePiece } from './resumable/pieces.ts';
import {
  announcementKey,
  parseAnnouncement,
  readAcknowledged,
  readPublishedAs,
  readUpload,
} from './resumable/stored-upload.ts';

/** The longest that a first request may need, between the check of the time and the sign that bytes are arriving. */
const MAX_START_MS = 60_000;

/** An upload as a listing shows it. */
interface ListedUpload {
  key: UploadId;
  base: string;
  /** Whether the announcement is listed. */
  isAnnounced: boolean;
  /** The other objects, without the base and its slash. */
  names: string[];
}

/** Resumable uploads in S3: pieces, without locks and on servers whose listings lag. */
export function openResumablePieces(options: Omit<PieceWriterOptions, 'remove'>): SweepableResumableStorage {
  const { bucket, staging, isPublished } = options;
  /** When announcements without bytes were created, and until when complete uploads name their files; ms since 1970. */
  const created = new Map<string, number>();
  const complete = new Map<string, number>();

  /** Without its announcement an upload does not exist, so a removal that is interrupted here is finished by a sweep. */
  async function remove(base: string): Promise<void> {
    await bucket.remove([base]);
    for await (const { objects } of bucket.list(base)) await bucket.remove(objects.map(({ key }) => key));
  }

  /** Resolves with whether there was anything to remove of an upload that does not exist any more. */
  async function finishRemoval(base: string): Promise<boolean> {
    if (await bucket.get(base)) return false;
    const { value: first } = await bucket.list(base).next();
    if (first?.objects.length) await remove(base);
    return Boolean(first?.objects.length);
  }

  async function* listUploads(): AsyncGenerator<ListedUpload, void> {
    let upload: ListedUpload | undefined;
    for await (const { objects } of bucket.list(RESUMABLE)) {
      for (const { key: object } of objects) {
        const [, place = ''] = /^[^/]*\/([^/]*\/[^/.]*)/u.exec(object) ?? [];
        const key = parseUploadId(place.slice(place.indexOf('/') + 1));
        if (key === undefined) continue;
        const base = announcementKey(key);
        if (upload?.key !== key) {
          if (upload) yield upload;
          upload = { key, base, isAnnounced: false, names: [] };
        }
        if (object === base) upload.isAnnounced = true;
        else upload.names.push(object.slice(base.length + 1));
      }
    }
    if (upload) yield upload;
  }

  /** Until when a complete upload names its file, ms since 1970; 0 for one that is not complete. */
  async function completeUntil(base: string): Promise<number> {
    const id = (await readPublishedAs(bucket, base)) ?? parseAnnouncement(await bucket.get(base)).earlierId;
    return id !== undefined && (await isPublished(id)) ? expiryOf(id) : 0;
  }

  /** Removes an upload whose time is over. Resolves with whether it was not complete. */
  async function sweepExpired({ key, base, names }: ListedUpload, now: number): Promise<boolean> {
    const until = complete.get(key) ?? (await completeUntil(base));
    complete.set(key, until);
    if (until > now) return false;
    await remove(base);
    return until === 0 && !names.includes('file');
  }

  /** Removes what is left of a removal, of a publication and of requests that failed. Listings may lack new objects. */
  async function sweepLeftovers({ base, names }: ListedUpload): Promise<void> {
    const pieces = names.filter((name) => parsePiece(name));
    const removePieces = (left: string[]) => bucket.remove(left.map((name) => `${base}/${name}`));
    const isComplete = names.includes('file') && pieces.length > 0 && (await completeUntil(base)) > 0;
    if (isComplete) return removePieces([...pieces, 'chain']);
    const chain = longestChain([...names, ...(await namesBeyond(base, pieces))]);
    const counting = new Set(chain.map(({ name }) => name));
    for (const name of pieces) {
      const [process = ''] = parsePiece(name)?.own.split('.') ?? [];
      if (!counting.has(name) && !(await staging.isAlive(process))) await removePieces([name]);
    }
  }

  /** Reads what was acknowledged where a listing has pieces that do not make a chain. */
  async function namesBeyond(base: string, pieces: string[]): Promise<string[]> {
    return longestChain(pieces).length === pieces.length ? [] : readAcknowledged(bucket, base);
  }

  /** Whether nothing of an upload has arrived in time. */
  async function isForgotten({ key, base }: ListedUpload, now: number): Promise<boolean> {
    let createdAt = created.get(key);
    if (createdAt === undefined) {
      const { announced, earlierId } = parseAnnouncement(await bucket.get(base));
      createdAt = announced && earlierId === undefined ? announced.createdAt : Number.POSITIVE_INFINITY;
      created.set(key, createdAt);
    }
    return (
      createdAt + BYTELESS_LIFE_MS + MAX_START_MS <= now && (await bucket.get(`${base}/chain`)) === undefined
    );
  }

  return {
    async create(key, announced) {
      const base = announcementKey(key);
      if (announced.length > MAX_PARTS * PART_BYTES) throw beyondParts();
      await bucket.put(base, Buffer.from(JSON.stringify(announced)));
    },

    async find(key) {
      return (await readUpload(bucket, announcementKey(key)))?.state;
    },

    async lock(key) {
      const base = announcementKey(key);
      const stored = await readUpload(bucket, base);
      return stored ? new PieceWriter(base, stored, { ...options, remove }) : undefined;
    },

    finishRemoval: (key) => finishRemoval(announcementKey(key)),

    async *usage() {
      for await (const { key, base, names } of listUploads()) {
        if (names.length === 0 || names.includes('file')) continue;
        const { announced, offset, publishedAs } = (await readUpload(bucket, base))?.state ?? {};
        if (!announced || publishedAs !== undefined || !offset) continue;
        yield { id: key, owner: announced.owner, size: offset, uploadedAt: announced.createdAt };
      }
    },

    async sweep(now) {
      let stagedUploads = 0;
      const removed: UploadId[] = [];
      const present = new Set<string>();
      for await (const upload of listUploads()) {
        const { key, base, names, isAnnounced } = upload;
        present.add(key);
        if (isExpired(key, now)) stagedUploads += Number(await sweepExpired(upload, now));
        else if (!isAnnounced && (await finishRemoval(base))) removed.push(key);
        else if (names.length > 0) await sweepLeftovers(upload);
        else if (await isForgotten(upload, now)) {
          await remove(base);
          stagedUploads += 1;
        }
      }
      for (const key of created.keys()) if (!present.has(key)) created.delete(key);
      for (const key of complete.keys()) if (!present.has(key)) complete.delete(key);
      return { stagedUploads, removed };
    },
  };
}

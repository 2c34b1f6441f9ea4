import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Readable } from 'node:stream';
import { AppError } from '../domain/errors.ts';
import type { Report } from '../domain/report.ts';
import { formatSize } from '../domain/units.ts';
import { expiryOf, type UploadDescription, uploadId } from '../domain/upload.ts';
import { extensionOf } from './file-name.ts';
import { readMediaType } from './media-type.ts';
import type { Quota, Reservation } from './quota.ts';
import type { Draft, Storage, StoredFile } from './storage.ts';

/** Kept free on the disk whatever the quota says: a full disk harms more than uploads. */
const SPARE_BYTES = 64 * 1024 * 1024;
const SECRET_BYTES = 16;
/** What is promised to who does not say how much is coming. */
const FIRST_PIECE_BYTES = 64 * 1024;

export interface UploadsOptions {
  storage: Storage;
  quota: Quota;
  maxBytes: number;
  /** Wall clock, ms since 1970. */
  now: () => number;
  report: Report;
}

/** What the sender says of the file. */
export interface Sent {
  originalname: string;
  encoding: string;
  mimetype: string;
}

export interface Received {
  id: string;
  description: UploadDescription;
  /** The secret that may delete the file; kept nowhere. */
  deleteKey: string;
}

/** Room for one upload; `limit`: the most that its file may have, in bytes. */
export interface Room extends Reservation {
  limit: number;
}

/** Bytes that have come whole, with the room that they take. */
export interface Staged {
  /** Throws AppError `storage-full` or `expired`; nothing is left then. */
  publish(sent: Sent, expiresAt: number): Promise<Received>;
  /** Leaves nothing behind; harmless after `publish`. */
  discard(): Promise<void>;
}

export type Uploads = ReturnType<typeof createUploads>;

/** The use cases of the uploads: receive a file in two steps, find it, delete it. */
export function createUploads({ storage, quota, maxBytes, now, report }: UploadsOptions) {
  /**
   * Promises room for a file: for all of it when its sender says how much it is, else for a first piece, to be grown
   * as more comes. Throws AppError `storage-full`.
   */
  async function reserve(owner: string, declared: number | undefined): Promise<Room> {
    const reservation = quota.reserve(owner, Math.min(declared ?? FIRST_PIECE_BYTES, maxBytes));
    const room = { ...reservation, limit: declared === undefined ? maxBytes : reservation.bytes };
    const freeBytes = await storage.freeBytes().catch((error: unknown) => {
      room.release();
      throw error;
    });
    if (freeBytes - room.bytes > SPARE_BYTES) return room;
    room.release();
    throw new AppError('storage-full', 'the store is full; try again later');
  }

  /** Takes the stream to its end. Throws AppError `too-large` or `storage-full`; nothing is left then. */
  async function stage(stream: Readable, owner: string, room: Room): Promise<Staged> {
    const draft = await storage.stage(stream, { maxBytes: room.limit }).catch((error: unknown) => {
      throw isTooLarge(error) ? overflow(room) : error;
    });
    return {
      async publish(sent, expiresAt) {
        try {
          return await publish(draft, owner, room, sent, expiresAt);
        } catch (error) {
          await draft.discard();
          throw error;
        }
      },
      discard: () => draft.discard(),
    };
  }

  async function publish(
    draft: Draft,
    owner: string,
    room: Room,
    sent: Sent,
    expiresAt: number,
  ): Promise<Received> {
    room.grow(draft.size);
    const id = uploadId(expiresAt, randomBytes(SECRET_BYTES));
    const deleteKey = randomBytes(SECRET_BYTES).toString('base64url');
    const description: UploadDescription = {
      ...sent,
      size: draft.size,
      sha256: draft.sha256,
      mediaType: await readMediaType(draft.head),
      extension: extensionOf(sent.originalname),
      uploadedAt: now(),
      expiresAt,
      owner,
      deleteKeyHash: hashKey(deleteKey),
    };
    await draft.publish(id, description);
    room.keep(draft.size, expiresAt);
    report({ type: 'upload-received', bytes: draft.size });
    return { id, description, deleteKey };
  }

  function overflow({ limit }: Room): AppError {
    if (limit < maxBytes)
      return new AppError('storage-full', 'there is no room left for a file of this size');
    return new AppError('too-large', `the file is larger than ${formatSize(maxBytes)}`);
  }

  /** Throws AppError `expired` for what is past its time, swept or not, ever there or not; else `not-found`. */
  async function find(id: string): Promise<StoredFile> {
    const expiresAt = expiryOf(id);
    if (expiresAt === undefined) throw notFound();
    if (expiresAt <= now()) throw new AppError('expired', 'this file has expired');
    const file = await storage.open(id);
    if (!file) throw notFound();
    return file;
  }

  /** Throws as `find` does, and `not-found` for a wrong key: who guesses learns nothing. */
  async function findForDeletion(id: string, key: string): Promise<StoredFile> {
    const file = await find(id);
    if (!timingSafeEqual(Buffer.from(hashKey(key)), Buffer.from(file.description.deleteKeyHash)))
      throw notFound();
    return file;
  }

  async function remove(id: string, key: string): Promise<void> {
    const { description } = await findForDeletion(id, key);
    if (await storage.remove(id)) quota.forget(description.owner, description.size, description.expiresAt);
  }

  return { reserve, stage, find, findForDeletion, remove };
}

function hashKey(key: string): string {
  return createHash('sha256').update(key).digest('base64url');
}

function notFound(): AppError {
  return new AppError('not-found', 'there is no such file: it was deleted, or never was');
}

function isTooLarge(error: unknown): boolean {
  return error instanceof AppError && error.code === 'too-large';
}

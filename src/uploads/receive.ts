import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Readable } from 'node:stream';
import { AppError } from '../domain/errors.ts';
import type { Report } from '../domain/operational-event.ts';
import { formatSize } from '../domain/units.ts';
import { expiryOf, occupiedBytes, type UploadDescription, uploadId } from '../domain/upload.ts';
import { extensionOf } from './file-name.ts';
import { detectMediaType } from './media-type.ts';
import type { Quota } from './quota.ts';
import { createRooms, type Room } from './rooms.ts';
import type { Draft, Storage, StoredFile } from './storage.ts';

const SECRET_BYTES = 16;

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
  const reserve = createRooms({ storage, quota });

  /** Takes the stream to its end. Throws AppError `too-large` or `storage-full`; nothing is left then. */
  async function stage(stream: Readable, owner: string, room: Room): Promise<Staged> {
    const draft = await storage.stage(stream, { maxBytes }).catch((error: unknown) => {
      throw isTooLarge(error)
        ? new AppError('too-large', `the file is larger than ${formatSize(maxBytes)}`)
        : error;
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
    const id = uploadId(expiresAt, randomBytes(SECRET_BYTES));
    const deleteKey = randomBytes(SECRET_BYTES).toString('base64url');
    const description: UploadDescription = {
      ...sent,
      size: draft.size,
      sha256: draft.sha256,
      mediaType: await detectMediaType(draft.head),
      extension: extensionOf(sent.originalname),
      uploadedAt: now(),
      expiresAt,
      owner,
      deleteKeyHash: hashKey(deleteKey),
    };
    const occupied = occupiedBytes(description);
    await room.grow(occupied);
    await draft.publish(id, description);
    room.keep(occupied, expiresAt);
    report({ type: 'upload-received', bytes: draft.size });
    return { id, description, deleteKey };
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
    const { owner, uploadedAt } = description;
    if (await storage.remove(id)) quota.forget({ id, owner, size: occupiedBytes(description), uploadedAt });
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

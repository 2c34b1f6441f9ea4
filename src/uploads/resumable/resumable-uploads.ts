import { randomBytes } from 'node:crypto';
import { resumableBytes } from '../../domain/disk-usage.ts';
import { AppError, type ErrorCode } from '../../domain/errors.ts';
import { createUploadId, type UploadId } from '../../domain/upload-id.ts';
import { canonicalAddress } from '../../network/ip-address.ts';
import { createPublisher, type ReceivedUpload, SECRET_BYTES } from '../publish.ts';
import type { SpaceGrant, SpaceReservation } from '../quota.ts';
import { requireUnexpired } from '../steady-clock.ts';
import { fileTooLarge, type StagedUpload } from '../storage.ts';
import type { ReceiverOptions } from '../uploads.ts';
import { createAccess, deleteKeyOf, type FoundUpload, keyOf, type WritableUpload } from './access.ts';
import { type Body, beyondLength, type Checksum, receivePiece } from './receive-piece.ts';
import { type Announcement, BYTELESS_LIFE_MS } from './resumable-storage.ts';

/** After these errors a later request can finish the upload. Any other error is final, and removes the upload. */
const TEMPORARY: ErrorCode[] = [
  'storage-full',
  'share-full',
  'storage-down',
  'limiter-down',
  'scanner-down',
  'clock-ahead',
  'clock-unset',
  'locked',
  'overloaded',
  'too-many-requests',
];

interface ResumableOptions extends ReceiverOptions {
  /** How long an upload may be continued. */
  resumeTtlMs: number;
  /** Monotonic clock, ms. */
  elapsedMs: () => number;
}

/** What a client has to know to continue an upload. */
export interface ResumableProgress {
  /** The number of bytes that have arrived. */
  offset: number;
  /** The size of the whole file, in bytes. */
  length: number;
  /** `Upload-Metadata` as it was sent. */
  metadata: string;
}

/**
 * The use cases of uploads that arrive in several requests. A `secret` is the part of an upload's address that identifies
 * it. Each throws AppError `expired` and `not-found`, and `locked` while another request writes.
 */
export interface ResumableUploads {
  /**
   * Resolves with the secret. An announced length reserves nothing but the record of the upload. Throws AppError `too-large`,
   * `limiter-down`, `clock-ahead`, and `share-full` or `storage-full` when so many bytes can never be stored.
   */
  create(wanted: Omit<Announcement, 'createdAt'>): Promise<UploadId>;
  /**
   * Appends the body of a request, and publishes the file once it is complete. Resolves with the new offset. When a body
   * without a checksum breaks off, the bytes that have arrived are kept. Throws AppError `conflict` for a wrong
   * offset, `too-large`, `checksum-mismatch`, `storage-full` or `limiter-down`. `declaredBytes`: the length of the body.
   */
  append(
    secret: UploadId,
    offset: number,
    body: Body,
    checksum?: Checksum,
    declaredBytes?: number,
  ): Promise<number>;
  /** Stops a silent request that is still writing, so that the offset no longer changes. */
  progress(secret: UploadId): Promise<ResumableProgress>;
  /** Throws AppError `conflict` while the upload is not complete. */
  result(secret: UploadId): Promise<ReceivedUpload>;
  /** Removes an upload, and its file if it is complete. Stops a request that writes to it. */
  remove(secret: UploadId): Promise<void>;
}

export function createResumableUploads(options: ResumableOptions): ResumableUploads {
  const { storage, quota, maxBytes, resumeTtlMs, now, steadyNow, elapsedMs } = options;
  const publish = createPublisher(options);
  const { find, findIdle, write } = createAccess(storage, now, elapsedMs);

  async function create(wanted: Omit<Announcement, 'createdAt'>): Promise<UploadId> {
    if (wanted.length > maxBytes) throw fileTooLarge(maxBytes);
    const announced = { ...wanted, address: canonicalAddress(wanted.address), createdAt: steadyNow() };
    const expiresAt = announced.createdAt + resumeTtlMs;
    const firstEnd = Math.min(resumeTtlMs, BYTELESS_LIFE_MS, wanted.lifetimeMs);
    requireUnexpired(announced.createdAt + firstEnd, options);
    const secret = createUploadId(expiresAt, randomBytes(SECRET_BYTES));
    const key = keyOf(secret);
    await quota.requirePossible(wanted.owner, wanted.length);
    const space = await quota.reserve(wanted.owner);
    try {
      const grant = await space.grant(resumableBytes(0));
      await storage.resumable.create(key, announced);
      await grant.commit({ id: key, size: resumableBytes(0) });
    } finally {
      space.release();
    }
    return secret;
  }

  async function append(
    secret: UploadId,
    offset: number,
    body: Body,
    checksum?: Checksum,
    declaredBytes?: number,
  ): Promise<number> {
    return write(secret, async (upload) => {
      const { key, signal, file } = upload;
      const { announced, offset: arrived } = upload.state;
      if (arrived !== offset)
        throw new AppError(
          'conflict',
          `${arrived} bytes of this upload have arrived; send Upload-Offset: ${arrived}`,
        );
      if (file) {
        for await (const _ of body(signal)) throw beyondLength(offset);
        return offset;
      }
      const reserved = await quota.reserve(announced.owner, declaredBytes);
      try {
        const count = async (next: number) => {
          const grant = await reserved.grant(resumableBytes(next) - resumableBytes(offset));
          await grant.commit({ id: key, size: resumableBytes(next) });
        };
        const next = await receivePiece({ ...upload, body, checksum, grow: reserved.grow, count });
        if (next === announced.length) await finish(secret, upload, reserved);
        return next;
      } finally {
        reserved.release();
      }
    });
  }

  /** Publishes a complete upload as POST /upload does, and counts the file in place of it. */
  async function finish(
    secret: UploadId,
    { key, locked, state }: WritableUpload,
    reserved: SpaceReservation,
  ): Promise<void> {
    const { originalname, mimetype, owner, address, lifetimeMs, length } = state.announced;
    const claims = { originalname, encoding: '7bit', mimetype, owner, address };
    /** What is left of the upload beside its file. */
    const rest = { id: key, size: resumableBytes(0) };
    /** The space of the bytes that have arrived becomes that of the file. */
    const space = {
      async grant(bytes: number): Promise<SpaceGrant> {
        const grant = await reserved.grant(bytes + rest.size - resumableBytes(length));
        return { ...grant, commit: (file) => grant.commit(file, rest) };
      },
    };
    let staged: StagedUpload | undefined;
    try {
      staged = await locked.stage();
      await publish(staged, space, { ...claims, lifetimeMs }, deleteKeyOf(secret));
    } catch (error) {
      // A sweep removes what this cannot.
      await staged?.discard().catch(() => {});
      if (error instanceof AppError && !TEMPORARY.includes(error.code)) {
        await locked.remove();
        quota.release(key);
      }
      throw error;
    }
  }

  /** Publishes a complete upload whose publication was prevented by a crash. Resolves with the upload as it is then. */
  async function finishFound(secret: UploadId, found: FoundUpload): Promise<FoundUpload> {
    const { state, file } = found;
    if (file || state.offset < state.announced.length) return found;
    await write(secret, async (upload) => {
      if (upload.file) return;
      const reserved = await quota.reserve(state.announced.owner, 0);
      await finish(secret, upload, reserved).finally(reserved.release);
    });
    return find(secret);
  }

  async function progress(secret: UploadId): Promise<ResumableProgress> {
    const { state } = await finishFound(secret, await findIdle(secret));
    const { length, metadata } = state.announced;
    return { offset: state.offset, length, metadata };
  }

  async function result(secret: UploadId): Promise<ReceivedUpload> {
    const { state, file } = await finishFound(secret, await find(secret));
    const { offset, announced, publishedAs } = state;
    if (!file || publishedAs === undefined)
      throw new AppError(
        'conflict',
        `${offset} of ${announced.length} bytes have arrived; send the rest first`,
      );
    return { id: publishedAs, description: file.description, deleteKey: deleteKeyOf(secret) };
  }

  async function remove(secret: UploadId): Promise<void> {
    const removeAll = async ({ key, locked, state: { publishedAs } }: WritableUpload) => {
      // The file first: without the upload, a request that repeats this one could not find it.
      if (publishedAs !== undefined) {
        await storage.remove(publishedAs);
        quota.release(publishedAs);
      }
      await locked.remove();
      quota.release(key);
    };
    await write(secret, removeAll, true);
  }

  return { create, append, progress, result, remove };
}

import { timingSafeEqual } from 'node:crypto';
import { AppError } from '../domain/errors.ts';
import { isExpired, parseUploadId } from '../domain/upload-id.ts';
import { canonicalAddress } from '../network/ip-address.ts';
import { freeingChunks } from './free-chunk.ts';
import { forgetReports } from './moderation/reports.ts';
import {
  createPublisher,
  hashDeleteKey,
  type PublisherOptions,
  type ReceivedUpload,
  type Sender,
  type SenderClaims,
} from './publish.ts';
import type { Quota } from './quota.ts';
import { noSuchFile, requireFile, type StagedUpload, type Storage, type StoredFile } from './storage.ts';

export interface ReceiverOptions extends PublisherOptions {
  storage: Storage;
  quota: Quota;
  maxBytes: number;
}

/** The use cases of uploads: receive files, find one, delete it. */
export interface Uploads {
  /**
   * Begins to receive the files of a request. `declaredBytes` is the length of the request, of which up to `envelopeBytes` may
   * not belong to files. Throws AppError `storage-full` when that does not fit, and `limiter-down`.
   */
  receive(sender: Sender, declaredBytes?: number, envelopeBytes?: number): Promise<Reception>;
  /**
   * Throws AppError `expired` when the time in the id is past, whether or not there ever was a file, and `not-found`
   * when there is no file; `removed` and `removed-legally` when the operator removed it.
   */
  find(id: string): Promise<StoredFile>;
  /** Throws as `find` does, and `not-found` for a wrong key, so that a guess reveals nothing. */
  findForDeletion(id: string, key: string): Promise<StoredFile>;
  /** Deletes a file. Throws as `findForDeletion` does. */
  remove(id: string, key: string): Promise<void>;
}

/** The bytes of a file as they arrive: a stream, or what yields them. */
export interface UploadSource extends AsyncIterable<Buffer> {
  /** Absent where the loop that reads it ends it. */
  destroy?(): unknown;
}

/** The files of one request while they are received. */
export interface Reception {
  /**
   * Reserves space as bytes of the request arrive. Rejects with AppError `share-full`, `storage-full` and `limiter-down`. A
   * refused request releases its space at once, for the others. From then on `publish` rejects with the same error.
   */
  reserve(arrivedBytes: number): Promise<void> | undefined;
  /**
   * Stages the stream of a file to its end; its chunks cannot be read afterwards. Several files may be staged at once.
   * Throws AppError `too-large` or `storage-full`.
   */
  stage(source: UploadSource): Promise<void>;
  /** Publishes the next file, in the order of their stagings, and throws as `Publish` says. */
  publish(claims: SenderClaims, lifetimeMs: number): Promise<ReceivedUpload>;
  /** Has to be called in any case: discards what is not published, and releases the space. */
  close(): Promise<void>;
}

export function createUploads(options: ReceiverOptions): Uploads {
  const { storage, quota, maxBytes, now, report } = options;
  const publish = createPublisher(options);

  async function receive(
    { owner, address: sentFrom }: Sender,
    declaredBytes?: number,
    envelopeBytes = 0,
  ): Promise<Reception> {
    const address = canonicalAddress(sentFrom);
    const space = await quota.reserve(owner, declaredBytes, envelopeBytes);
    const files: { source: UploadSource; staging: Promise<StagedUpload> }[] = [];
    /** How many of the files are published. */
    let published = 0;
    let isClosed = false;

    return {
      reserve: (arrivedBytes) =>
        space.grow(arrivedBytes)?.catch((error: unknown) => {
          space.release(error);
          throw error;
        }),

      async stage(source) {
        if (isClosed) throw new Error('The request is over.');
        const staging = storage.stage(freeingChunks(source), maxBytes);
        files.push({ source, staging });
        await staging;
      },

      async publish(claims, lifetimeMs) {
        const file = files[published];
        if (!file) throw new Error('Nothing has been staged.');
        const details = { ...claims, lifetimeMs, owner, address };
        const received = await publish(await file.staging, space, details);
        published += 1;
        return received;
      },

      async close() {
        const left = isClosed ? [] : files.slice(published);
        isClosed = true;
        for (const { source } of left) source.destroy?.();
        // A discard may fail: a sweep removes what it leaves.
        await Promise.allSettled(left.map(async ({ staging }) => (await staging).discard()));
        space.release();
      },
    };
  }

  async function find(text: string): Promise<StoredFile> {
    const id = parseUploadId(text);
    if (id === undefined) throw noSuchFile();
    if (isExpired(id, now())) throw new AppError('expired', 'this file has expired');
    return requireFile(storage, id);
  }

  async function findForDeletion(id: string, key: string): Promise<StoredFile> {
    const file = await find(id);
    const hash = Buffer.from(hashDeleteKey(key));
    if (!timingSafeEqual(hash, Buffer.from(file.description.deleteKeyHash))) throw noSuchFile();
    return file;
  }

  async function remove(text: string, key: string): Promise<void> {
    const id = parseUploadId(text);
    if (id === undefined) throw noSuchFile();
    await findForDeletion(id, key);
    await storage.remove(id);
    quota.release(id);
    // What this cannot remove, a sweep removes when the file would have expired.
    await forgetReports(storage.records, id).catch((error: unknown) =>
      report({ type: 'store-failed', doing: 'removing the reports of a deleted file', error }),
    );
  }

  return { receive, find, findForDeletion, remove };
}

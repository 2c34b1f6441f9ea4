import type { Readable } from 'node:stream';
import {
  AbortMultipartUploadCommand,
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  UploadPartCommand,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3';
import { inBatches } from '../../../domain/serial.ts';
import type { ByteRange, ContentHeaders } from '../../storage.ts';
import type { Objects } from '../objects.ts';
import type { S3Address } from './address.ts';
import { isMissing, openClient, TRANSFER_TIMEOUTS, unlessObjectMissing } from './client.ts';
import { CHECK } from './keys.ts';

/** The size of every part but the last: the minimum that Amazon accepts. */
export const PART_BYTES = 5 * 1024 * 1024;
/** The limit of S3. */
export const MAX_PARTS = 10_000;

/** An unfinished multipart upload: invisible, and occupying space until it is completed or aborted. */
export interface MultipartUpload {
  key: string;
  uploadId: string;
}

/** A page of a listing. */
interface ListedPage {
  /** `version` changes with each write of the object. */
  objects: { key: string; version: string }[];
  folders: string[];
}

/**
 * The operations of S3 that a storage needs, on keys without the prefix of the address. Each has a timeout and throws
 * AppError `storage-down` or `storage-full`.
 */
export interface S3Bucket extends Objects {
  /**
   * Rejects when the bucket cannot be read or, after a failure of any request, cannot be written: to write costs ten times as
   * much.
   */
  check(signal?: AbortSignal): Promise<void>;
  /** Resolves with an object, or the range of it. Undefined when there is none. */
  get(key: string, range?: ByteRange): Promise<Buffer | undefined>;
  /** Undefined when there is no such object. The stream has to be read to its end or destroyed. */
  openRange(key: string, range: ByteRange): Promise<Readable | undefined>;
  presign(key: string, content: ContentHeaders, seconds: number): Promise<string>;
  /**
   * Yields the pages of a listing of the keys with this prefix, sorted by key. With `isShallow`, it has folders, each up to a
   * slash, instead of their objects.
   */
  pages(start: string, isShallow?: boolean): AsyncIterable<ListedPage>;
  /** Resolves with the id of the upload. A request that was repeated may have begun another one. */
  beginUpload(key: string): Promise<string>;
  putPart(
    upload: MultipartUpload,
    number: number,
    bytes: Buffer,
    signal: AbortSignal,
  ): Promise<CompletedPart>;
  /** Makes an object a part, without moving its bytes out of S3. */
  copyPart(upload: MultipartUpload, number: number, source: string): Promise<CompletedPart>;
  /** Joins the parts to an object of `size` bytes. Throws the SDK's error when there is neither upload nor object. */
  completeUpload(upload: MultipartUpload, parts: CompletedPart[], size: number): Promise<void>;
  /** Succeeds when there is no such upload. */
  abortUpload(upload: MultipartUpload): Promise<void>;
  /** Resolves with the first thousand unfinished uploads whose keys begin with `start`. */
  listUploads(start: string): Promise<MultipartUpload[]>;
  close(): void;
}

/**
 * Opening sends no request. On Node, the SDK returns the body of an object as a Readable. `Upload` of @aws-sdk/lib-storage is
 * not used: it completes the object as soon as the stream ends, while a staged upload waits to be published or discarded.
 */
export function openBucket(address: S3Address): S3Bucket {
  let hasFailed = false;
  const { send, get, presign, close } = openClient(address, () => {
    hasFailed = true;
  });
  const { bucket: Bucket, prefix } = address;
  const place = (key: string) => ({ Bucket, Key: `${prefix}${key}` });
  const partOf = ({ key, uploadId }: MultipartUpload) => ({ ...place(key), UploadId: uploadId });
  const withoutPrefix = (key: string) => key.slice(prefix.length);

  const removeOne = (key: string) => send(new DeleteObjectCommand(place(key)));

  async function* pages(start: string, isShallow = false): AsyncGenerator<ListedPage, void> {
    let next: string | undefined;
    do {
      const command = new ListObjectsV2Command({
        Bucket,
        Prefix: prefix + start,
        Delimiter: isShallow ? '/' : undefined,
        ContinuationToken: next,
      });
      const page = await send(command);
      next = page.IsTruncated ? page.NextContinuationToken : undefined;
      const objects = (page.Contents ?? []).map(({ Key = '', ETag, LastModified }) => ({
        key: withoutPrefix(Key),
        version: `${ETag} ${LastModified?.getTime()}`,
      }));
      const folders = (page.CommonPrefixes ?? []).map(({ Prefix = '' }) => withoutPrefix(Prefix));
      yield { objects, folders };
    } while (next);
  }

  return {
    close,
    async check(signal) {
      if (!hasFailed) {
        await send(new HeadBucketCommand({ Bucket }), undefined, signal);
        return;
      }
      const Body = Buffer.from('check');
      await send(new PutObjectCommand({ ...place(CHECK), Body }), undefined, signal);
      await removeOne(CHECK);
      hasFailed = false;
    },

    async put(key, bytes) {
      await send(new PutObjectCommand({ ...place(key), Body: bytes }), TRANSFER_TIMEOUTS);
    },
    get: (key, range) =>
      unlessObjectMissing(get(new GetObjectCommand({ ...place(key), ...toHeader(range) }))),
    async openRange(key, range) {
      const answer = send(new GetObjectCommand({ ...place(key), ...toHeader(range) }));
      return (await unlessObjectMissing(answer))?.Body as Readable | undefined;
    },

    presign(key, { type, disposition }, seconds) {
      const sent = { ResponseContentType: type, ResponseContentDisposition: disposition };
      return presign(
        new GetObjectCommand({ ...place(key), ...sent, ResponseCacheControl: 'no-store' }),
        seconds,
      );
    },

    pages,
    async *list(start) {
      for await (const { objects } of pages(start)) yield* objects.map(({ key }) => key);
    },

    /** Removing what is missing succeeds. A request for each: servers do not agree on the checksum of DeleteObjects. */
    async remove(keys) {
      await Array.fromAsync(inBatches(keys, removeOne));
    },

    async beginUpload(key) {
      const { UploadId = '' } = await send(new CreateMultipartUploadCommand(place(key)));
      return UploadId;
    },

    async putPart(upload, PartNumber, Body, signal) {
      const command = new UploadPartCommand({ ...partOf(upload), PartNumber, Body });
      const { ETag = '' } = await send(command, TRANSFER_TIMEOUTS, signal);
      return { PartNumber, ETag };
    },

    async copyPart(upload, PartNumber, source) {
      const CopySource = `${Bucket}/${prefix}${source}`;
      const command = new UploadPartCopyCommand({ ...partOf(upload), PartNumber, CopySource });
      const { CopyPartResult } = await send(command, TRANSFER_TIMEOUTS);
      if (!CopyPartResult?.ETag) throw new Error('S3 has not copied the part.');
      return { PartNumber, ETag: CopyPartResult.ETag };
    },

    async completeUpload(upload, Parts, size) {
      const command = new CompleteMultipartUploadCommand({ ...partOf(upload), MultipartUpload: { Parts } });
      await send(command, TRANSFER_TIMEOUTS).catch(async (error: unknown) => {
        // A request that is repeated because its answer was lost finds the object in place of the upload.
        const found =
          isMissing(error) && (await unlessObjectMissing(send(new HeadObjectCommand(place(upload.key)))));
        if (!found || found.ContentLength !== size) throw error;
      });
    },

    async abortUpload(upload) {
      await unlessObjectMissing(send(new AbortMultipartUploadCommand(partOf(upload))));
    },

    async listUploads(start) {
      const command = new ListMultipartUploadsCommand({ Bucket, Prefix: `${prefix}${start}` });
      const { Uploads = [] } = await send(command);
      return Uploads.map(({ Key = '', UploadId = '' }) => ({ key: withoutPrefix(Key), uploadId: UploadId }));
    },
  };
}

const toHeader = (range?: ByteRange) => range && { Range: `bytes=${range.start}-${range.end}` };

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
import type { S3Address } from './address.ts';
import { isMissing, openClient, TRANSFER_TIMEOUTS, unlessMissing } from './client.ts';
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

export type Bucket = ReturnType<typeof openBucket>;

/**
 * The operations of S3 that a storage needs, on keys without the prefix of the address. Each has a timeout and throws
 * AppError `storage-down` or `storage-full`. Opening sends no request. On Node, the SDK returns the body of an object as
 * a Readable. `Upload` of @aws-sdk/lib-storage is not used: it completes the object as soon as the stream ends, while a
 * staged upload waits to be published or discarded.
 */
export function openBucket(address: S3Address) {
  let hasFailed = false;
  const { send, get, presign, close } = openClient(address, () => {
    hasFailed = true;
  });
  const { bucket: Bucket, prefix } = address;
  const place = (key: string) => ({ Bucket, Key: `${prefix}${key}` });
  const partOf = ({ key, uploadId }: MultipartUpload) => ({ ...place(key), UploadId: uploadId });
  const withoutPrefix = (key: string) => key.slice(prefix.length);

  const removeOne = (key: string) => send(new DeleteObjectCommand(place(key)));

  /**
   * Yields the pages of a listing of the keys with this prefix, sorted by key. With `isShallow`, it has folders, each up to a
   * slash, instead of their objects.
   */
  async function* pages(start: string, isShallow = false) {
    let next: string | undefined;
    do {
      const listed = { Bucket, Prefix: prefix + start, ...(isShallow && { Delimiter: '/' }) };
      const page = await send(new ListObjectsV2Command({ ...listed, ContinuationToken: next }));
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
    /**
     * Rejects when the bucket cannot be read or, after a failure of any request, cannot be written: to write costs ten times as
     * much.
     */
    async check(signal?: AbortSignal): Promise<void> {
      if (!hasFailed) return void (await send(new HeadBucketCommand({ Bucket }), undefined, signal));
      const Body = Buffer.from('check');
      await send(new PutObjectCommand({ ...place(CHECK), Body }), undefined, signal);
      await removeOne(CHECK);
      hasFailed = false;
    },

    async put(key: string, bytes: Buffer): Promise<void> {
      await send(new PutObjectCommand({ ...place(key), Body: bytes }), TRANSFER_TIMEOUTS);
    },
    /** Resolves with an object, or the range of it. Undefined when there is none. */
    get: (key: string, range?: ByteRange): Promise<Buffer | undefined> =>
      unlessMissing(get(new GetObjectCommand({ ...place(key), ...toHeader(range) }))),
    /** Undefined when there is no such object. The stream has to be read to its end or destroyed. */
    async openRange(key: string, range: ByteRange): Promise<Readable | undefined> {
      const answer = send(new GetObjectCommand({ ...place(key), ...toHeader(range) }));
      return (await unlessMissing(answer))?.Body as Readable | undefined;
    },

    presign(key: string, { type, disposition }: ContentHeaders, seconds: number): Promise<string> {
      const sent = { ResponseContentType: type, ResponseContentDisposition: disposition };
      return presign(
        new GetObjectCommand({ ...place(key), ...sent, ResponseCacheControl: 'no-store' }),
        seconds,
      );
    },

    pages,
    async *list(start: string): AsyncGenerator<string, void> {
      for await (const { objects } of pages(start)) yield* objects.map(({ key }) => key);
    },

    /** Removing what is missing succeeds. A request for each: servers do not agree on the checksum of DeleteObjects. */
    async remove(keys: readonly string[]): Promise<void> {
      await Array.fromAsync(inBatches(keys, removeOne));
    },

    /** Resolves with the id of the upload. A request that was repeated may have begun another one. */
    async beginUpload(key: string): Promise<string> {
      const { UploadId = '' } = await send(new CreateMultipartUploadCommand(place(key)));
      return UploadId;
    },

    async putPart(upload: MultipartUpload, PartNumber: number, Body: Buffer, signal: AbortSignal) {
      const command = new UploadPartCommand({ ...partOf(upload), PartNumber, Body });
      const { ETag = '' } = await send(command, TRANSFER_TIMEOUTS, signal);
      return { PartNumber, ETag };
    },

    /** Makes an object a part, without moving its bytes out of S3. */
    async copyPart(upload: MultipartUpload, PartNumber: number, source: string): Promise<CompletedPart> {
      const CopySource = `${Bucket}/${prefix}${source}`;
      const command = new UploadPartCopyCommand({ ...partOf(upload), PartNumber, CopySource });
      const { CopyPartResult } = await send(command, TRANSFER_TIMEOUTS);
      if (!CopyPartResult?.ETag) throw new Error('S3 has not copied the part.');
      return { PartNumber, ETag: CopyPartResult.ETag };
    },

    /** Joins the parts to an object of `size` bytes. Throws the SDK's error when there is neither upload nor object. */
    async completeUpload(upload: MultipartUpload, Parts: CompletedPart[], size: number): Promise<void> {
      const command = new CompleteMultipartUploadCommand({ ...partOf(upload), MultipartUpload: { Parts } });
      await send(command, TRANSFER_TIMEOUTS).catch(async (error: unknown) => {
        // A request that is repeated because its answer was lost finds the object in place of the upload.
        const found =
          isMissing(error) && (await unlessMissing(send(new HeadObjectCommand(place(upload.key)))));
        if (!found || found.ContentLength !== size) throw error;
      });
    },

    /** Succeeds when there is no such upload. */
    async abortUpload(upload: MultipartUpload): Promise<void> {
      await unlessMissing(send(new AbortMultipartUploadCommand(partOf(upload))));
    },

    /** Resolves with the first thousand unfinished uploads whose keys begin with `start`. */
    async listUploads(start: string): Promise<MultipartUpload[]> {
      const command = new ListMultipartUploadsCommand({ Bucket, Prefix: `${prefix}${start}` });
      const { Uploads = [] } = await send(command);
      return Uploads.map(({ Key = '', UploadId = '' }) => ({ key: withoutPrefix(Key), uploadId: UploadId }));
    },
  };
}

const toHeader = (range?: ByteRange) => range && { Range: `bytes=${range.start}-${range.end}` };

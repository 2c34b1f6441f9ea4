import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  NotFound,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { AppError } from '../../../domain/errors.ts';
import type { S3Address } from './address.ts';
import { type Client, TRANSFER_TIMEOUTS } from './client.ts';
import { isMissing } from './errors.ts';

/** The size of every part but the last: the minimum that Amazon accepts. */
export const PART_BYTES = 5 * 1024 * 1024;
/** The limit of S3. */
export const MAX_PARTS = 10_000;

/** An unfinished multipart upload: invisible, and occupying space until it is completed or aborted. */
export interface MultipartUpload {
  /** Without the prefix. */
  key: string;
  uploadId: string;
}

interface BegunUpload extends MultipartUpload {
  /** Whether the request had to be repeated, so that there may be a second upload of this key. */
  isRepeated: boolean;
}

export interface Part {
  PartNumber: number;
  ETag: string;
}

/**
 * The requests of a multipart upload. `Upload` of @aws-sdk/lib-storage is not used: it completes the object as soon as
 * the stream ends, while a staged upload waits to be published or discarded; and it sends its requests itself, without
 * the overall timeout and the outage report of `send`.
 */
export function multipartOf({ bucket: Bucket, prefix }: S3Address, { sdk, send }: Client) {
  const place = (key: string) => ({ Bucket, Key: `${prefix}${key}` });

  /** Succeeds when there is no such upload. */
  async function abort({ key, uploadId }: MultipartUpload): Promise<void> {
    const command = new AbortMultipartUploadCommand({ ...place(key), UploadId: uploadId });
    await send((options) => sdk.send(command, options)).catch((error: unknown) => {
      if (!isMissing(error)) throw error;
    });
  }

  /** Resolves with the first thousand uploads whose keys begin with `start`. */
  async function list(start: string): Promise<MultipartUpload[]> {
    const command = new ListMultipartUploadsCommand({ Bucket, Prefix: `${prefix}${start}` });
    const { Uploads = [] } = await send((options) => sdk.send(command, options));
    return Uploads.map(({ Key = '', UploadId = '' }) => ({
      key: Key.slice(prefix.length),
      uploadId: UploadId,
    }));
  }

  /** Undefined when there is no such object. */
  async function sizeOf(key: string): Promise<number | undefined> {
    return send(async (options) => {
      const head = sdk.send(new HeadObjectCommand(place(key)), options);
      const found = await head.catch((error: unknown) => {
        if (!(error instanceof NotFound)) throw error;
      });
      return found?.ContentLength;
    });
  }

  return {
    abort,
    list,

    /** Aborts every upload of a key, also those of which no answer arrived. */
    async abortAll(key: string): Promise<void> {
      const uploads = await list(key);
      for (const upload of uploads) if (upload.key === key) await abort(upload);
    },

    async begin(key: string): Promise<BegunUpload> {
      const command = new CreateMultipartUploadCommand(place(key));
      const { UploadId = '', $metadata } = await send((options) => sdk.send(command, options));
      return { key, uploadId: UploadId, isRepeated: ($metadata.attempts ?? 1) > 1 };
    },

    async putPart(
      { key, uploadId }: MultipartUpload,
      PartNumber: number,
      bytes: Buffer,
      signal: AbortSignal,
    ): Promise<Part> {
      const command = new UploadPartCommand({ ...place(key), UploadId: uploadId, PartNumber, Body: bytes });
      const { ETag = '' } = await send((options) => sdk.send(command, options), TRANSFER_TIMEOUTS, signal);
      return { PartNumber, ETag };
    },

    /** Joins the parts to an object of `size` bytes. Throws the SDK's error when there is neither upload nor object. */
    async complete({ key, uploadId }: MultipartUpload, Parts: Part[], size: number): Promise<void> {
      const command = new CompleteMultipartUploadCommand({
        ...place(key),
        UploadId: uploadId,
        MultipartUpload: { Parts },
      });
      const answer = send((options) => sdk.send(command, options), TRANSFER_TIMEOUTS);
      await answer.catch(async (error: unknown) => {
        // A request that is repeated because its answer was lost finds the object in place of the upload.
        if (!isMissing(error) || (await sizeOf(key)) !== size) throw error;
      });
    },
  };
}

/** AppError `too-large`. */
export function beyondParts(): AppError {
  return new AppError('too-large', 'the file is larger than the storage accepts');
}

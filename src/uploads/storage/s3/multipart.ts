import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  ListMultipartUploadsCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { type Client, TRANSFER_TIMEOUTS } from './client.ts';
import { isMissing } from './errors.ts';

/** An unfinished multipart upload: invisible, and occupying space until it is completed or aborted. */
export interface MultipartUpload {
  Key: string;
  UploadId: string;
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
export function multipartOf(Bucket: string, { sdk, send }: Client) {
  return {
    async begin(Key: string): Promise<MultipartUpload> {
      const command = new CreateMultipartUploadCommand({ Bucket, Key });
      const { UploadId = '' } = await send((options) => sdk.send(command, options));
      return { Key, UploadId };
    },

    async putPart(
      upload: MultipartUpload,
      PartNumber: number,
      bytes: Buffer,
      signal: AbortSignal,
    ): Promise<Part> {
      const command = new UploadPartCommand({ Bucket, ...upload, PartNumber, Body: bytes });
      const { ETag = '' } = await send((options) => sdk.send(command, options), TRANSFER_TIMEOUTS, signal);
      return { PartNumber, ETag };
    },

    async complete(upload: MultipartUpload, Parts: Part[]): Promise<void> {
      const command = new CompleteMultipartUploadCommand({ Bucket, ...upload, MultipartUpload: { Parts } });
      await send((options) => sdk.send(command, options), TRANSFER_TIMEOUTS);
    },

    /** Succeeds when there is no such upload. */
    async abort(upload: MultipartUpload): Promise<void> {
      const command = new AbortMultipartUploadCommand({ Bucket, ...upload });
      await send((options) => sdk.send(command, options)).catch((error: unknown) => {
        if (!isMissing(error)) throw error;
      });
    },

    /** Resolves with the first thousand whose keys begin with `prefix`. */
    async list(prefix: string): Promise<MultipartUpload[]> {
      const command = new ListMultipartUploadsCommand({ Bucket, Prefix: prefix });
      const { Uploads = [] } = await send((options) => sdk.send(command, options));
      return Uploads.map(({ Key = '', UploadId = '' }) => ({ Key, UploadId }));
    },
  };
}

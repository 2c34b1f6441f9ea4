import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  ListMultipartUploadsCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { BRIEF, type Client, LONG } from './client.ts';
import { isMissing } from './errors.ts';

/** An object that comes in parts: nobody sees it, and all of it takes room, until it is completed or aborted. */
export interface Unfinished {
  Key: string;
  UploadId: string;
}

export interface Part {
  PartNumber: number;
  ETag: string;
}

export function multipartOf(Bucket: string, { sdk, ask }: Client) {
  return {
    async begin(Key: string): Promise<Unfinished> {
      const command = new CreateMultipartUploadCommand({ Bucket, Key });
      const { UploadId = '' } = await ask(BRIEF, (options) => sdk.send(command, options));
      return { Key, UploadId };
    },

    async putPart(upload: Unfinished, PartNumber: number, bytes: Buffer, signal: AbortSignal): Promise<Part> {
      const command = new UploadPartCommand({ Bucket, ...upload, PartNumber, Body: bytes });
      const { ETag = '' } = await ask(LONG, (options) => sdk.send(command, options), signal);
      return { PartNumber, ETag };
    },

    async complete(upload: Unfinished, Parts: Part[]): Promise<void> {
      const command = new CompleteMultipartUploadCommand({ Bucket, ...upload, MultipartUpload: { Parts } });
      await ask(LONG, (options) => sdk.send(command, options));
    },

    /** Succeeds when there is no such upload, or no longer. */
    async abort(upload: Unfinished): Promise<void> {
      const command = new AbortMultipartUploadCommand({ Bucket, ...upload });
      await ask(BRIEF, (options) => sdk.send(command, options)).catch((error: unknown) => {
        if (!isMissing(error)) throw error;
      });
    },

    /** The first thousand whose keys begin with `prefix`. */
    async unfinished(prefix: string): Promise<Unfinished[]> {
      const command = new ListMultipartUploadsCommand({ Bucket, Prefix: prefix });
      const { Uploads = [] } = await ask(BRIEF, (options) => sdk.send(command, options));
      return Uploads.map(({ Key = '', UploadId = '' }) => ({ Key, UploadId }));
    },
  };
}

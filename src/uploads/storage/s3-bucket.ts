import type { Readable } from 'node:stream';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  type ListObjectsV2CommandOutput,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import type { ByteRange } from '../storage.ts';
import type { S3Address } from './s3-address.ts';
import { explainS3, unlessAbsent } from './s3-errors.ts';

const CONNECT_LIMIT_MS = 2_000;
/** From a request to the beginning of its answer; a part of an upload goes there meanwhile. */
const ANSWER_LIMIT_MS = 30_000;
const ATTEMPTS = 3;
/** A download holds a connection for as long as its client takes. */
const MOST_CONNECTIONS = 1_000;
/** What one request may delete. */
const MOST_DELETED = 1_000;

/** An upload in parts that has begun: to be completed, or aborted. */
export interface Parts {
  /** Numbered from 1. All but the last one have the same size, 5 MiB at least. */
  send(number: number, bytes: Buffer): Promise<void>;
  /** Makes the object visible. */
  complete(): Promise<void>;
  abort(): Promise<void>;
}

/** What Tayang needs of S3. Keys are without the prefix. Throws AppError `storage-down` or `storage-full`. */
export interface Bucket {
  put(key: string, bytes: Buffer): Promise<void>;
  /** Undefined when there is no such object. */
  get(key: string, range?: ByteRange): Promise<Readable | undefined>;
  /** Removing what is missing succeeds. */
  remove(keys: string[]): Promise<void>;
  /** In alphabetical order, up to a thousand at a time. */
  keys(prefix: string): AsyncGenerator<string[]>;
  /** The first pieces of the keys, up to the slash. */
  folders(): Promise<string[]>;
  begin(key: string): Promise<Parts>;
  /** Aborts the uploads in parts that began before, ms since 1970; resolves with how many. */
  abortBegunBefore(time: number): Promise<number>;
  close(): void;
}

export function openBucket({ bucket: Bucket, region, endpoint, prefix }: S3Address): Bucket {
  const agent = { keepAlive: true, maxSockets: MOST_CONNECTIONS };
  const client = new S3Client({
    region,
    // Other servers have one name for all buckets, and few know the checksums that Amazon has added.
    ...(endpoint === undefined ? {} : { endpoint, forcePathStyle: true }),
    ...{ requestChecksumCalculation: 'WHEN_REQUIRED', responseChecksumValidation: 'WHEN_REQUIRED' },
    maxAttempts: ATTEMPTS,
    requestHandler: {
      connectionTimeout: CONNECT_LIMIT_MS,
      requestTimeout: ANSWER_LIMIT_MS,
      throwOnRequestTimeout: true,
      ...{ httpAgent: agent, httpsAgent: agent },
    },
  });

  async function* list(options: { Prefix: string; Delimiter?: string }) {
    let page: ListObjectsV2CommandOutput | undefined;
    do {
      const ContinuationToken = page?.NextContinuationToken;
      page = await explainS3(
        client.send(new ListObjectsV2Command({ Bucket, ...options, ContinuationToken })),
      );
      yield page;
    } while (page.IsTruncated);
  }

  function partsOf(Key: string, UploadId: string | undefined): Parts {
    const upload = { Bucket, Key, UploadId };
    const sent: { PartNumber: number; ETag: string | undefined }[] = [];
    return {
      async send(PartNumber, Body) {
        const part = new UploadPartCommand({ ...upload, PartNumber, Body });
        const { ETag } = await explainS3(client.send(part));
        sent.push({ PartNumber, ETag });
      },
      async complete() {
        const MultipartUpload = { Parts: sent };
        await explainS3(client.send(new CompleteMultipartUploadCommand({ ...upload, MultipartUpload })));
      },
      async abort() {
        await explainS3(unlessAbsent(client.send(new AbortMultipartUploadCommand(upload))));
      },
    };
  }

  return {
    async put(key, Body) {
      await explainS3(client.send(new PutObjectCommand({ Bucket, Key: prefix + key, Body })));
    },

    async get(key, range) {
      const Range = range && `bytes=${range.start}-${range.end}`;
      const command = new GetObjectCommand({ Bucket, Key: prefix + key, Range });
      const found = await explainS3(unlessAbsent(client.send(command)));
      return found?.Body as Readable | undefined;
    },

    async remove(keys) {
      for (let from = 0; from < keys.length; from += MOST_DELETED) {
        const Objects = keys.slice(from, from + MOST_DELETED).map((key) => ({ Key: prefix + key }));
        await explainS3(client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects, Quiet: true } })));
      }
    },

    async *keys(folder) {
      for await (const { Contents = [] } of list({ Prefix: prefix + folder }))
        yield Contents.map(({ Key = '' }) => Key.slice(prefix.length));
    },

    async folders() {
      const found: string[] = [];
      for await (const { CommonPrefixes = [] } of list({ Prefix: prefix, Delimiter: '/' }))
        found.push(...CommonPrefixes.map(({ Prefix = '' }) => Prefix.slice(prefix.length, -1)));
      return found;
    },

    async begin(key) {
      const Key = prefix + key;
      const { UploadId } = await explainS3(client.send(new CreateMultipartUploadCommand({ Bucket, Key })));
      return partsOf(Key, UploadId);
    },

    async abortBegunBefore(time) {
      const listing = new ListMultipartUploadsCommand({ Bucket, Prefix: prefix });
      const { Uploads = [] } = await explainS3(client.send(listing));
      const dead = Uploads.filter(({ Initiated }) => Initiated && Initiated.getTime() < time);
      for (const { Key = '', UploadId } of dead) await partsOf(Key, UploadId).abort();
      return dead.length;
    },

    close: () => client.destroy(),
  };
}

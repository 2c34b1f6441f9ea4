import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import {
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadBucketCommand,
  ListObjectsV2Command,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import type { ByteRange } from '../../storage.ts';
import type { S3Address } from './address.ts';
import { type OnOutcome, openClient, TRANSFER_TIMEOUTS } from './client.ts';
import { isMissing } from './errors.ts';
import { CHECK } from './keys.ts';
import { multipartOf } from './multipart.ts';

/** The most keys of one DeleteObjects request. */
const MAX_REMOVED = 1_000;
/** For requests without content, within the time of a check. */
const CHECK_TIMEOUTS = { attemptMs: 2_000, totalMs: 5_000 };

/** One page of a listing, which is sorted by key. */
export interface Page {
  objects: { key: string; version: string }[];
  /** Common prefixes, each up to a slash. */
  folders: string[];
}

export type Bucket = ReturnType<typeof openBucket>;

/**
 * The operations of S3 that a storage needs, on keys without the prefix of the address. Each has a timeout and throws
 * AppError `storage-down` or `storage-full`. Opening sends no request. On Node, the SDK returns the body of an object as
 * a Readable.
 */
export function openBucket(address: S3Address, onOutcome: OnOutcome) {
  let hasFailed = false;
  const client = openClient(address, (error) => {
    hasFailed ||= error !== undefined;
    onOutcome(error);
  });
  const { sdk, send } = client;
  const { bucket: Bucket, prefix } = address;
  const place = (key: string) => ({ Bucket, Key: `${prefix}${key}` });

  async function removeOne(key: string): Promise<void> {
    await send((options) => sdk.send(new DeleteObjectCommand(place(key)), options));
  }

  async function removeSeveral(keys: string[]): Promise<void> {
    const Delete = { Objects: keys.map((key) => ({ Key: `${prefix}${key}` })), Quiet: true };
    await send(async (options) => {
      const { Errors = [] } = await sdk.send(new DeleteObjectsCommand({ Bucket, Delete }), options);
      const failed = Errors.find(({ Code }) => Code !== 'NoSuchKey');
      if (failed) throw Object.assign(new Error(failed.Message), { name: failed.Code, $metadata: {} });
    }, TRANSFER_TIMEOUTS);
  }

  /** Yields the pages of a listing of the keys with this prefix. With `isShallow`, it has folders instead of their objects. */
  async function* pages(start: string, isShallow = false): AsyncGenerator<Page, void> {
    let next: string | undefined;
    do {
      const command = new ListObjectsV2Command({
        Bucket,
        Prefix: `${prefix}${start}`,
        ...(isShallow ? { Delimiter: '/' } : {}),
        ...(next ? { ContinuationToken: next } : {}),
      });
      const page = await send((options) => sdk.send(command, options));
      next = page.IsTruncated ? page.NextContinuationToken : undefined;
      const objects = (page.Contents ?? []).map(({ Key = '', ETag, LastModified }) => ({
        key: Key.slice(prefix.length),
        version: `${ETag} ${LastModified?.getTime()}`,
      }));
      const folders = (page.CommonPrefixes ?? []).map(({ Prefix = '' }) => Prefix.slice(prefix.length));
      yield { objects, folders };
    } while (next);
  }

  return {
    parts: multipartOf(address, client),
    close: () => sdk.destroy(),
    /**
     * Rejects when the bucket cannot be read or, after a failure of any request, cannot be written: to write costs ten times as
     * much.
     */
    async check(signal?: AbortSignal): Promise<void> {
      if (!hasFailed) {
        const command = new HeadBucketCommand({ Bucket });
        await send((options) => sdk.send(command, options), CHECK_TIMEOUTS, signal);
        return;
      }
      const [put, remove] = [
        new PutObjectCommand({ ...place(CHECK), Body: Buffer.from('check') }),
        new DeleteObjectCommand(place(CHECK)),
      ];
      await send((options) => sdk.send(put, options), CHECK_TIMEOUTS, signal);
      await send((options) => sdk.send(remove, options), CHECK_TIMEOUTS, signal);
      hasFailed = false;
    },

    async put(key: string, bytes: Buffer): Promise<void> {
      const command = new PutObjectCommand({ ...place(key), Body: bytes });
      await send((options) => sdk.send(command, options), TRANSFER_TIMEOUTS);
    },
    /** Undefined when there is no such object. The timeout includes the transfer of the bytes. */
    async get(key: string): Promise<Buffer | undefined> {
      const command = new GetObjectCommand(place(key));
      return send(async (options) => buffer((await sdk.send(command, options)).Body as Readable)).catch(
        undefinedIfMissing,
      );
    },
    /** Undefined when there is no such object. The stream has to be read to its end or destroyed. */
    async openRange(key: string, { start, end }: ByteRange): Promise<Readable | undefined> {
      const command = new GetObjectCommand({ ...place(key), Range: `bytes=${start}-${end}` });
      const answer = await send((options) => sdk.send(command, options)).catch(undefinedIfMissing);
      return answer?.Body as Readable | undefined;
    },

    pages,
    async *list(start: string): AsyncGenerator<string, void> {
      for await (const { objects } of pages(start)) yield* objects.map(({ key }) => key);
    },

    /** Removing what is missing succeeds. */
    async remove(keys: readonly string[]): Promise<void> {
      for (let at = 0; at < keys.length; at += MAX_REMOVED) {
        const [first = '', ...others] = keys.slice(at, at + MAX_REMOVED);
        await (others.length === 0 ? removeOne(first) : removeSeveral([first, ...others]));
      }
    },
  };
}

function undefinedIfMissing(error: unknown): undefined {
  if (!isMissing(error)) throw error;
}

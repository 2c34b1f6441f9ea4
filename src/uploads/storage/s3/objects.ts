import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import {
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import type { ByteRange } from '../../storage.ts';
import { BRIEF, type Client, LONG } from './client.ts';
import { isMissing } from './errors.ts';

/** What one DeleteObjects takes. */
const MAX_REMOVED = 1_000;

export interface Listed {
  key: string;
  /** Another one whenever the object has been written anew. */
  version: string;
}

/** Of a listing, which is sorted: objects, or what they have in common up to a slash. */
export interface Page {
  objects: Listed[];
  folders: string[];
}

/** Whole objects of a bucket, by their keys. */
export function objectsOf(Bucket: string, { sdk, ask }: Client) {
  /** Undefined when there is no such object. What `read` takes is within the limit too. */
  async function get<Content>(
    Key: string,
    range: string | undefined,
    read: (body: Readable) => Content | Promise<Content>,
  ): Promise<Content | undefined> {
    const command = new GetObjectCommand({ Bucket, Key, ...(range ? { Range: range } : {}) });
    const answer = ask(BRIEF, async (options) => read((await sdk.send(command, options)).Body as Readable));
    return answer.catch((error: unknown) => {
      if (isMissing(error)) return undefined;
      throw error;
    });
  }

  async function removeOne(Key: string): Promise<void> {
    await ask(BRIEF, (options) => sdk.send(new DeleteObjectCommand({ Bucket, Key }), options));
  }

  async function removeSeveral(keys: string[]): Promise<void> {
    const Delete = { Objects: keys.map((Key) => ({ Key })), Quiet: true };
    await ask(LONG, async (options) => {
      const { Errors = [] } = await sdk.send(new DeleteObjectsCommand({ Bucket, Delete }), options);
      const failed = Errors.find(({ Code }) => Code !== 'NoSuchKey');
      if (failed) throw Object.assign(new Error(failed.Message), { name: failed.Code, $metadata: {} });
    });
  }

  return {
    async put(Key: string, bytes: Buffer, signal?: AbortSignal): Promise<void> {
      const command = new PutObjectCommand({ Bucket, Key, Body: bytes });
      await ask(LONG, (options) => sdk.send(command, options), signal);
    },

    getWhole: (key: string): Promise<Buffer | undefined> => get(key, undefined, buffer),
    /** A stream that has begun, to be read to its end or destroyed. */
    getRange: (key: string, { start, end }: ByteRange): Promise<Readable | undefined> =>
      get(key, `bytes=${start}-${end}`, (body) => body),

    /** Page by page. With `isShallow`, what lies in folders below `prefix` is not named, but the folders are. */
    async *list(prefix: string, isShallow = false): AsyncGenerator<Page, void> {
      let next: string | undefined;
      do {
        const command = new ListObjectsV2Command({
          ...{ Bucket, Prefix: prefix },
          ...(isShallow ? { Delimiter: '/' } : {}),
          ...(next ? { ContinuationToken: next } : {}),
        });
        const page = await ask(BRIEF, (options) => sdk.send(command, options));
        next = page.IsTruncated ? page.NextContinuationToken : undefined;
        const objects = (page.Contents ?? []).map(({ Key = '', ETag, LastModified }) => ({
          key: Key,
          version: `${ETag} ${LastModified?.getTime()}`,
        }));
        yield { objects, folders: (page.CommonPrefixes ?? []).map(({ Prefix = '' }) => Prefix) };
      } while (next);
    },

    /** Removing what is missing succeeds. */
    async remove(keys: string[]): Promise<void> {
      for (let at = 0; at < keys.length; at += MAX_REMOVED) {
        const some = keys.slice(at, at + MAX_REMOVED);
        await (some.length === 1 ? removeOne(some[0]!) : removeSeveral(some));
      }
    },
  };
}

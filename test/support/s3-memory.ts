import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';

const require = createRequire(import.meta.url);
const S3Bucket = require('s3rver/lib/models/bucket');
const S3Error = require('s3rver/lib/models/error');
const S3Object = require('s3rver/lib/models/object');

const MIN_PART_BYTES = 5 * 1024 * 1024;

interface Stored {
  bytes: Buffer;
  /** With its quotes. */
  etag: string;
  modified: Date;
}

interface Unfinished {
  key: string;
  parts: Map<number, Buffer>;
}

const md5 = (bytes: Buffer) => createHash('md5').update(bytes).digest('hex');

/**
 * A store for s3rver with one bucket, in memory. The store on disk of s3rver answers before it has written, and mixes up
 * concurrent requests. This one outlives a server, like a disk.
 */
export class S3Memory {
  readonly objects = new Map<string, Stored>();
  readonly uploads = new Map<string, Unfinished>();
  readonly #name: string;

  constructor(name: string) {
    this.#name = name;
  }

  async getBucket(name: string) {
    return name === this.#name ? new S3Bucket(name, new Date(0)) : null;
  }

  async getSubresource() {
    return undefined;
  }

  async existsObject(_bucket: string, key: string) {
    return this.objects.has(key);
  }

  async putObject({ key, content }: { key: string; content: Readable | Buffer }) {
    const bytes = Buffer.isBuffer(content) ? content : await buffer(content);
    return this.#store(key, bytes);
  }

  async deleteObject(_bucket: string, key: string) {
    this.objects.delete(key);
  }

  async getObject(_bucket: string, key: string, { start = 0, end }: { start?: number; end?: number } = {}) {
    const stored = this.objects.get(key);
    if (!stored) return null;
    const last = stored.bytes.length - 1;
    const range = { start, end: Math.min(end ?? last, last) };
    const object = this.#describe(key, stored);
    if (end !== undefined) object.range = range;
    const isOutside = end !== undefined && start > last;
    object.content = isOutside ? null : Readable.from(slices(stored.bytes.subarray(start, range.end + 1)));
    return object;
  }

  async initiateUpload(_bucket: string, key: string, id: string) {
    this.uploads.set(id, { key, parts: new Map() });
  }

  async putPart(_bucket: string, id: string, number: string, content: Readable) {
    const bytes = await buffer(content);
    this.#upload(id).parts.set(Number(number), bytes);
    return { size: bytes.length, md5: md5(bytes) };
  }

  async putObjectMultipart(_bucket: string, id: string, named: { number: number; etag: string }[]) {
    const { key, parts } = this.#upload(id);
    const pieces = named.map(({ number, etag }) => {
      const bytes = parts.get(number);
      if (!bytes || md5(bytes) !== etag) throw new S3Error('InvalidPart', 'One of the parts is not there.');
      return bytes;
    });
    if (pieces.slice(0, -1).some(({ length }) => length < MIN_PART_BYTES))
      throw new S3Error('EntityTooSmall', 'A part is smaller than the least there is.');
    this.uploads.delete(id);
    return this.#store(key, Buffer.concat(pieces));
  }

  #upload(id: string): Unfinished {
    const upload = this.uploads.get(id);
    if (!upload) throw new S3Error('NoSuchUpload', 'The specified upload does not exist.');
    return upload;
  }

  #store(key: string, bytes: Buffer) {
    this.objects.set(key, { bytes, etag: JSON.stringify(md5(bytes)), modified: new Date() });
    return { size: bytes.length, md5: md5(bytes) };
  }

  #describe(key: string, { bytes, etag, modified }: Stored) {
    return new S3Object(this.#name, key, null, {
      etag,
      'content-length': bytes.length,
      'last-modified': modified.toUTCString(),
    });
  }
}

function* slices(bytes: Buffer) {
  for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536);
}

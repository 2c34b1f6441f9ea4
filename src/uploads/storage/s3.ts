import { occupiedBytes, type UploadDescription } from '../../domain/upload.ts';
import type { Storage } from '../storage.ts';
import type { StorageOptions } from './drivers.ts';
import { parseS3Url } from './s3/address.ts';
import { openBucket } from './s3/bucket.ts';
import { openExpiryFolders } from './s3/expiry-folders.ts';
import { descriptionKey, noteKey } from './s3/keys.ts';
import { MultipartWriter } from './s3/multipart-writer.ts';
import { createOutageReporter } from './s3/outage-reporter.ts';
import { readRange } from './s3/read.ts';
import { openStaging } from './s3/staging.ts';
import { type Sink, stageDraft } from './staged-upload.ts';

/** The object that makes a file visible. */
interface Document {
  /** The key of the bytes, without the prefix. */
  bytes: string;
  description: UploadDescription;
}

/**
 * `s3://bucket?region=…[&endpoint=https://host][&prefix=folder]`: keeps uploads in a bucket of Amazon's S3, or of a
 * server that speaks as it does. Its key comes from the environment (`AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`) or
 * wherever else Amazon's tools find one. Opens without S3; what is asked while it is gone is `storage-down`.
 */
export async function openS3Storage(url: string, { clock, report }: StorageOptions): Promise<Storage> {
  const address = parseS3Url(url);
  const { prefix } = address;
  const bucket = openBucket(address, createOutageReporter(report, clock));
  const staging = openStaging(bucket, prefix, clock);
  const hours = openExpiryFolders(bucket, prefix);
  const removing = new Set<string>();
  const drafts = new Set<Sink>();

  async function find(id: string): Promise<Document | undefined> {
    const key = descriptionKey(id);
    const json = key && (await bucket.getWhole(`${prefix}${key}`));
    return json ? JSON.parse(json.toString()) : undefined;
  }

  function nextSink(): Sink {
    const bytes = staging.nextKey();
    const object = new MultipartWriter({ bucket, staging, prefix, key: bytes });
    let written: string[] = [];
    const sink: Sink = {
      append: (chunk) => object.append(chunk),
      async publish(id, description) {
        const document: Document = { bytes, description };
        const [key, , note] = keysOf(id, description, bytes);
        written = keysOf(id, description, bytes);
        // Before the bytes are: a sweep finds them by their note, whatever happens to this process.
        await Promise.all([bucket.put(note, Buffer.alloc(0)), object.flush()]);
        await object.finish();
        await bucket.put(key, Buffer.from(JSON.stringify(document)));
        drafts.delete(sink);
      },
      async discard() {
        drafts.delete(sink);
        await object.discard();
        await removeInTurn(written).catch(() => {});
      },
    };
    drafts.add(sink);
    return sink;
  }

  async function remove(id: string): Promise<boolean> {
    const document = await find(id);
    if (!document) return false;
    const { bytes, description } = document;
    await removeInTurn(keysOf(id, description, bytes));
    return true;
  }

  /** In the order in which they go: the note last, for what this does not come to goes by it with its hour. */
  function keysOf(id: string, description: UploadDescription, bytes: string): [string, string, string] {
    const key = `${prefix}${descriptionKey(id)}`;
    return [
      key,
      `${prefix}${bytes}`,
      noteKey(key, { ...description, size: occupiedBytes(description), bytes }),
    ];
  }

  async function removeInTurn(keys: string[]): Promise<void> {
    for (const key of keys) await bucket.remove([key]);
  }

  return {
    stage: (stream, options) => stageDraft(stream, nextSink(), clock, options),

    async open(id) {
      const document = await find(id);
      if (!document) return undefined;
      const { bytes, description } = document;
      const whole = { start: 0, end: description.size - 1 };
      return { description, read: (range = whole) => readRange(bucket, `${prefix}${bytes}`, range) };
    },

    /** S3 does not say whether there was anything: who is second in this process is told that there was not. */
    async remove(id) {
      if (removing.has(id)) return false;
      removing.add(id);
      try {
        return await remove(id);
      } finally {
        removing.delete(id);
      }
    },

    async sweep(now) {
      return { files: await hours.sweep(now), drafts: await staging.sweep(now) };
    },

    usage: () => hours.usage(),
    freeBytes: async () => Number.POSITIVE_INFINITY,

    async close() {
      await Promise.all([...drafts].map((draft) => draft.discard()));
      await staging.close();
      bucket.close();
    },
  };
}

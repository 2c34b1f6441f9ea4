import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import { AppError } from '../../domain/errors.ts';
import { expiryOf, type UploadDescription } from '../../domain/upload.ts';
import type { Draft, StageOptions } from '../storage.ts';
import { hourOf } from './hour.ts';
import type { Bucket } from './s3-bucket.ts';
import { encodeEntry } from './s3-file.ts';
import { bytesKey, descriptionKey } from './s3-hours.ts';
import { S3Object } from './s3-object.ts';
import { takeBytes } from './take-bytes.ts';

/** For who does not say. */
const LONGEST_LIFE_MS = 31 * 86_400_000;

export interface DraftPlace {
  bucket: Bucket;
  /** Those that are neither published nor discarded. */
  drafts: Set<{ discard(): Promise<void> }>;
  /** Wall clock, ms since 1970. */
  clock: () => number;
}

export async function stageDraft(
  stream: Readable,
  { bucket, drafts, clock }: DraftPlace,
  options: StageOptions = {},
): Promise<Draft> {
  const hour = hourOf(options.expiresBy ?? clock() + LONGEST_LIFE_MS);
  const object = new S3Object(bucket, bytesKey(hour, randomUUID()));
  const draft = { discard };
  drafts.add(draft);

  async function discard(): Promise<void> {
    if (drafts.delete(draft)) await object.discard();
  }

  async function orDiscard<T>(operation: Promise<T>): Promise<T> {
    try {
      return await operation;
    } catch (error) {
      await discard().catch(() => {});
      throw error;
    }
  }

  async function publish(id: string, description: UploadDescription): Promise<void> {
    const key = descriptionKey(id);
    if (key === undefined) throw new Error(`Not the id of an upload: ${id}`);
    if (!drafts.has(draft)) throw new Error('This draft is over.');
    const expiry = expiryOf(id)!;
    if (expiry <= clock()) throw new AppError('expired', 'This file expired before all of it had arrived.');
    if (hourOf(expiry) > hour) throw new Error(`${id} would outlive its bytes`);
    const bytes = await object.finish(bytesKey(hourOf(expiry), id));
    drafts.delete(draft);
    await bucket.put(key, encodeEntry(description, bytes)).catch(async (error: unknown) => {
      await bucket.remove([bytes]).catch(() => {});
      throw error;
    });
  }

  return {
    ...(await orDiscard(takeBytes(stream, (chunk) => object.append(chunk), options))),
    publish: (id, description) => orDiscard(publish(id, description)),
    discard,
  };
}

import { bytesOnDisk } from '../../domain/disk-usage.ts';
import { inBatches } from '../../domain/serial.ts';
import { isExpired, parseUploadId, type UploadId } from '../../domain/upload-id.ts';
import { attempt, type Failures } from '../storage/failures.ts';
import { COLLECTIONS, expiryHourOf, type Objects, placeOf } from '../storage/objects.ts';
import { type RemovalMark, RemovedFileError, type Usage } from '../storage.ts';

/** Several files under one link, as it is stored. Its id carries its expiry. */
export interface StoredCollection {
  files: readonly UploadId[];
  /** The key of the quota that it counts against. */
  owner: string;
  /** The client address that made it, for the operator alone. */
  address: string;
  /** Ms since 1970. */
  createdAt: number;
}

/** A collection that the operator removed keeps its owner, because it counts as before until its expiry. */
type Content = StoredCollection | { mark: RemovalMark; owner: string; createdAt: number };

/** Undefined when there is no such collection. Throws RemovedFileError for one that the operator removed. */
export async function readCollection(objects: Objects, id: UploadId): Promise<StoredCollection | undefined> {
  const content = await read(objects, placeOf(id));
  if (content && 'mark' in content) throw new RemovedFileError(content.mark);
  return content;
}

/** Whether there is a collection, or a mark in its place. */
export async function hasCollection(objects: Objects, id: UploadId): Promise<boolean> {
  return (await objects.get(placeOf(id))) !== undefined;
}

/** How many bytes a collection counts in a quota. */
export function collectionBytes(collection: StoredCollection): number {
  return bytesOnDisk(encode(collection).length);
}

export async function writeCollection(
  objects: Objects,
  id: UploadId,
  collection: StoredCollection,
): Promise<void> {
  await objects.put(placeOf(id), encode(collection));
}

/** Replaces a collection, or an earlier mark, by a mark. Resolves with whether there was one. */
export async function markCollection(objects: Objects, id: UploadId, mark: RemovalMark): Promise<boolean> {
  const content = await read(objects, placeOf(id));
  if (!content) return false;
  const { owner, createdAt } = content;
  await objects.put(placeOf(id), encode({ mark, owner, createdAt }));
  return true;
}

/** Yields the ids of all collections, in no order. */
export async function* collectionIds(objects: Objects): AsyncGenerator<UploadId> {
  for await (const key of objects.list('')) {
    const id = idIn(key);
    if (id !== undefined) yield id;
  }
}

/** Yields the collections as the quota counts them. One that cannot be read is noted in `failures`. */
export async function* collectionUsage(objects: Objects, failures: Failures): AsyncGenerator<Usage> {
  const ids = await Array.fromAsync(collectionIds(objects));
  const usageOf = (id: UploadId) =>
    attempt(failures, COLLECTIONS + placeOf(id), async () => {
      const content = await read(objects, placeOf(id));
      if (!content) return undefined;
      const { owner, createdAt } = content;
      return { id, owner, size: bytesOnDisk(encode(content).length), uploadedAt: createdAt };
    });
  for await (const usage of inBatches(ids, usageOf)) if (usage) yield usage;
}

/** Removes collections that have expired. All of them are listed once an hour, and else those that end in this hour. */
export function createCollectionSweep(objects: Objects) {
  /** The hour in which the last sweep of all has removed everything that was due. */
  let sweptHour = '';

  return async (now: number, failures: Failures): Promise<void> => {
    const hour = expiryHourOf(now);
    const earlier = failures.size;
    const keys = await Array.fromAsync(objects.list(hour === sweptHour ? `${hour}/` : ''));
    const due = keys.filter((key) => {
      const id = idIn(key);
      return id !== undefined && isExpired(id, now);
    });
    const remove = (key: string) => attempt(failures, COLLECTIONS + key, () => objects.remove([key]));
    await Array.fromAsync(inBatches(due, remove));
    if (failures.size === earlier) sweptHour = hour;
  };
}

function idIn(key: string): UploadId | undefined {
  return parseUploadId(key.slice(key.lastIndexOf('/') + 1));
}

async function read(objects: Objects, key: string): Promise<Content | undefined> {
  const json = await objects.get(key);
  // This file alone writes such objects.
  return json && (JSON.parse(json.toString()) as Content);
}

function encode(content: Content): Buffer {
  return Buffer.from(JSON.stringify(content));
}

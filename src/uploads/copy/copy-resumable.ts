import { isDeepStrictEqual } from 'node:util';
import { isExpired, type UploadId } from '../../domain/upload-id.ts';
import type { StoredResumable } from '../resumable/resumable-storage.ts';
import type { Storage } from '../storage.ts';
import { sha256Of } from './copy-file.ts';

/**
 * Makes `to` have an upload in progress as `from` has it, and compares it. `from` may be receiving it meanwhile: what has been
 * acknowledged when this begins is copied. Resolves and throws as `copyFile`.
 */
export async function copyResumable(
  key: UploadId,
  { from, to, now }: { from: Storage; to: Storage; now: number },
): Promise<'same' | 'copied' | 'absent'> {
  const source = await from.resumable.inspect(key);
  const target = await to.resumable.inspect(key);
  if (!source || isOver(key, source, now)) {
    if (target) await removeResumable(to, key);
    return 'absent';
  }
  if (target && (await isSame(source, target))) return 'same';
  const continues = target !== undefined && isEarlier(target, source);
  if (target && !continues) await removeResumable(to, key);
  if (!continues) await to.resumable.create(key, source.announced);
  await append(to, key, source, continues ? target.size : 0);
  if (source.publishedAs) await to.resumable.putPublishedAs(key, source.publishedAs);
  const copy = await to.resumable.inspect(key);
  if (!copy || !(await isSame(source, copy))) throw new Error('the copy is not the same');
  return 'copied';
}

/** Whether it can neither be continued nor names its file. */
function isOver(key: UploadId, { publishedAs }: StoredResumable, now: number): boolean {
  return isExpired(key, now) && (publishedAs === undefined || isExpired(publishedAs, now));
}

/** Whether one state may have become the other. Bytes are only added. */
function isEarlier(one: StoredResumable, other: StoredResumable): boolean {
  return (
    isDeepStrictEqual(one.announced, other.announced) &&
    one.size <= other.size &&
    (one.publishedAs === undefined || one.publishedAs === other.publishedAs)
  );
}

async function isSame(one: StoredResumable, other: StoredResumable): Promise<boolean> {
  return (
    isDeepStrictEqual(one.announced, other.announced) &&
    one.publishedAs === other.publishedAs &&
    one.size === other.size &&
    (one.size === 0 || (await sha256Of(one.read())) === (await sha256Of(other.read())))
  );
}

async function append(to: Storage, key: UploadId, source: StoredResumable, start: number): Promise<void> {
  if (source.size <= start) return;
  const locked = await to.resumable.lock(key);
  if (!locked) throw new Error('the upload was removed while it was copied');
  try {
    for await (const chunk of source.read(start)) await locked.append(chunk);
    await locked.commit();
  } finally {
    await locked.release();
  }
}

export async function removeResumable(storage: Storage, key: UploadId): Promise<void> {
  const locked = await storage.resumable.lock(key);
  await locked?.remove().finally(locked.release);
}

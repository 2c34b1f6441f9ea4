import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { UploadId } from '../../domain/upload-id.ts';
import { chunksOf } from '../storage/staged-upload.ts';
import {
  type Chunks,
  type RemovalMark,
  RemovedFileError,
  type Storage,
  type StoredFile,
} from '../storage.ts';

/** What there is under an id: a file, the mark of one that the operator removed, or nothing. */
type Stored = { file: StoredFile } | { mark: RemovalMark } | undefined;

interface CopyFileOptions {
  from: Storage;
  to: Storage;
  /** Whether the bytes of what `to` has already are read and compared again. */
  comparesBytes: boolean;
}

/**
 * Makes `to` have under an id what `from` has, and compares it. Resolves with what it took; `absent` when `from` has nothing
 * there any more. Throws an Error when a file is damaged, or is not the same afterwards.
 */
export async function copyFile(
  id: UploadId,
  { from, to, comparesBytes }: CopyFileOptions,
): Promise<'same' | 'copied' | 'absent'> {
  const source = await openStored(from, id);
  const target = await openStored(to, id);
  if (source === undefined) {
    if (target) await to.remove(id);
    return 'absent';
  }
  if (isSame(source, target) && !(comparesBytes && (await hasOtherBytes(target)))) return 'same';
  if ('mark' in source) await putMark(to, id, source.mark, target);
  else await putFile(to, id, source.file, target);
  const copy = await openStored(to, id);
  if (!isSame(source, copy) || (await hasOtherBytes(copy))) throw new Error('the copy is not the same');
  return 'copied';
}

async function openStored(storage: Storage, id: UploadId): Promise<Stored> {
  try {
    const file = await storage.open(id);
    return file && { file };
  } catch (error) {
    if (error instanceof RemovedFileError) return { mark: error.mark };
    throw error;
  }
}

/** Whether both are the same mark, or files with the same description, which has the checksum. */
function isSame(source: Stored, target: Stored): boolean {
  if (!source || !target) return source === target;
  if ('mark' in source) return 'mark' in target && isDeepStrictEqual(source.mark, target.mark);
  return 'file' in target && isDeepStrictEqual(source.file.description, target.file.description);
}

async function hasOtherBytes(stored: Stored): Promise<boolean> {
  if (!stored || 'mark' in stored) return false;
  return (await sha256Of(chunksOf(stored.file.read()))) !== stored.file.description.sha256;
}

async function putMark(to: Storage, id: UploadId, mark: RemovalMark, target: Stored): Promise<void> {
  // With a file there is more to remove.
  if (target) await to.remove(id, mark);
  else await to.contents.putMark(id, mark);
}

async function putFile(to: Storage, id: UploadId, file: StoredFile, target: Stored): Promise<void> {
  if (target) await to.remove(id);
  const { description } = file;
  const staged = await to.stage(chunksOf(file.read()));
  if (staged.sha256 !== description.sha256) {
    await staged.discard();
    throw new Error('its bytes do not have the checksum of its description');
  }
  await staged.publish(id, description);
}

/** Lower-case hex. */
export async function sha256Of(chunks: Chunks): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of chunks) hash.update(chunk);
  return hash.digest('hex');
}

import { constants } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { UploadId } from '../../../domain/upload-id.ts';
import { unlessMissing } from '../errors.ts';
import { folderOf, inFolder } from '../objects.ts';
import type { BytesWriter, UploadBytes } from '../resumable-in-objects.ts';
import { chunksOf, stageUpload } from '../staged-upload.ts';
import type { DiskObjects } from './objects.ts';
import { createStagedFile, type PublishFile } from './staged-file.ts';
import type { DiskStaging } from './staging.ts';
import { readFileRange } from './stored-file.ts';

/*
 * In the folder of an upload:
 *
 * bytes       what has arrived. Its size is the offset: journaling file systems write bytes before they write the size
 * unverified  the offset before bytes whose checksum has not been verified; exists while they arrive
 */

/** Writes are small: a crash loses what is in the buffers, and the client then sends it again. */
const BATCH_BYTES = 256 * 1024;

/** Keeps the bytes of a resumable upload in a file, to which one process at a time appends. */
export function openResumableFiles(
  root: string,
  objects: DiskObjects,
  staging: DiskStaging,
  publish: PublishFile,
): UploadBytes {
  const pathOf = (key: UploadId) => join(root, folderOf(key), 'bytes');
  const lockOf = (key: UploadId) => join(root, folderOf(key), 'writer');

  async function offsetOf(key: UploadId, length: number): Promise<number> {
    const unverifiedFrom = await objects.get(`${folderOf(key)}unverified`);
    await using file = await unlessMissing(open(pathOf(key), 'r+'));
    if (!file) return 0;
    const { size } = await file.stat();
    // Another process may be writing, whose bytes count once they are flushed.
    await file.datasync();
    // A crash may have left a description after the bytes.
    return Math.min(size, length, Number(unverifiedFrom ?? length));
  }

  function openWriter(key: UploadId, offset: number, unlock: () => Promise<unknown>): BytesWriter {
    const path = pathOf(key);
    const upload = inFolder(objects, folderOf(key));
    const openFile = (at: number) =>
      createStagedFile(
        () => path,
        () => openAt(path, at),
        BATCH_BYTES,
        publish,
      );
    const file = openFile(offset);

    return {
      offset,
      startUnverified: () => upload.put('unverified', Buffer.from(String(offset))),
      append: async (chunk) => file.append(chunk),
      async commit() {
        await file.flush();
        const { size } = await (await file.opened()).stat();
        // Flushes the folder too, which may not have had the file before.
        await upload.remove(['unverified']);
        return size;
      },
      async rollback() {
        await file.settle();
        const handle = await file.opened();
        await handle.truncate(offset);
        await handle.datasync();
        await upload.remove(['unverified']);
      },
      async stage() {
        const { size } = await (await file.opened()).stat();
        await file.close();
        const whole = openFile(size);
        return stageUpload(whole.read(size), { ...whole, append: async () => {}, discard: whole.close });
      },
      async release() {
        await file.close();
        await unlock();
      },
    };
  }

  return {
    offsetOf,
    async open(key, length) {
      const unlock = await staging.lock(lockOf(key));
      if (!unlock) return undefined;
      try {
        return openWriter(key, await offsetOf(key, length), unlock);
      } catch (error) {
        await unlock();
        throw error;
      }
    },
    read: (key, start, end) => chunksOf(readFileRange(pathOf(key), { start, end: end - 1 })),
    isHeld: (key) => staging.isLocked(lockOf(key)),
    hasBegun: async (key) => (await unlessMissing(stat(pathOf(key)))) !== undefined,
  };
}

/** Opens a file to append to it, and drops what a crash left after `offset`. */
async function openAt(path: string, offset: number): Promise<FileHandle> {
  const file = await open(path, constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT, 0o666);
  try {
    if ((await file.stat()).size > offset) await file.truncate(offset);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

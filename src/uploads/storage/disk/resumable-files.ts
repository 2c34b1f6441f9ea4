import { constants } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { UploadDescription, UploadId } from '../../../domain/upload.ts';
import { uploadLocked } from '../../resumable-storage.ts';
import { translateDiskError, unlessMissing } from '../errors.ts';
import { inFolder } from '../objects.ts';
import { type BytesWriter, folderOf, type UploadBytes } from '../resumable.ts';
import { stageUpload } from '../staged-upload.ts';
import type { ChunkSize } from './chunk-sizes.ts';
import { createGrowingFile } from './growing-file.ts';
import type { DiskObjects } from './objects.ts';
import { readRange } from './read-range.ts';
import { encodeFooter } from './stored-file.ts';

/*
 * In the folder of an upload:
 *
 * bytes       what has arrived. Its size is the offset: journaling file systems write bytes before they write the size
 * unverified  the offset before bytes whose checksum has not been verified; exists while they arrive
 */

/** Writes are small: a crash loses what is in the buffers, and the client then sends it again. */
const BATCH_BYTES = 256 * 1024;
/** The size of the chunks in which all bytes are read again. */
const CHUNK_SIZE: ChunkSize = { next: () => 128 * 1024, end() {} };

const SQLITE_BUSY = 5;
const SQLITE_CANTOPEN = 14;

interface FilesOptions {
  root: string;
  objects: DiskObjects;
  /** Moves a file to the path of an id. Resolves once a power cut cannot undo it. */
  publish: (path: string, id: UploadId) => Promise<void>;
  /** Ms since 1970. */
  clock: () => number;
}

/** Keeps the bytes of a resumable upload in a file, to which one process at a time appends. */
export function openResumableFiles({ root, objects, publish, clock }: FilesOptions): UploadBytes {
  const pathOf = (key: UploadId) => join(root, folderOf(key), 'bytes');

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

  function openWriter(key: UploadId, offset: number, unlock: () => void): BytesWriter {
    const path = pathOf(key);
    const upload = inFolder(objects, folderOf(key));
    const file = createGrowingFile(() => openAt(path, offset), BATCH_BYTES);

    return {
      offset,
      startUnverified: () => upload.put('unverified', Buffer.from(String(offset))),
      append: file.append,
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
      async stage(watch) {
        const { size } = await (await file.opened()).stat();
        await file.close();
        const bytes = await readRange(path, { start: 0, end: size - 1 }, () => CHUNK_SIZE);
        const writer = {
          append: () => undefined,
          async publish(id: UploadId, description: UploadDescription) {
            const whole = createGrowingFile(() => openAt(path, size), BATCH_BYTES);
            await whole.flush(encodeFooter(description)).finally(whole.close);
            await publish(path, id);
          },
          discard: async () => {},
          translateError: translateDiskError,
        };
        return stageUpload(bytes, writer, clock, { watch });
      },
      async release() {
        await file.close();
        unlock();
      },
    };
  }

  return {
    offsetOf,
    async open(key, length) {
      const unlock = takeLock(join(root, folderOf(key), 'writer'));
      if (!unlock) return undefined;
      try {
        return openWriter(key, await offsetOf(key, length), unlock);
      } catch (error) {
        unlock();
        throw error;
      }
    },
    hasBegun: async (key) => (await unlessMissing(stat(pathOf(key)))) !== undefined,
    async sweep() {},
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

/**
 * Takes the lock of a file, and returns the function that releases it; undefined when there is no folder of the file. Throws
 * AppError `locked` while this or another process holds it. The lock is an open transaction of SQLite, which writes nothing:
 * the operating system releases it when the process ends.
 */
function takeLock(path: string): (() => void) | undefined {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path, { timeout: 0 });
    database.exec('BEGIN EXCLUSIVE');
    return () => database?.close();
  } catch (error) {
    database?.close();
    const code = error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : 0;
    if (code === SQLITE_CANTOPEN) return undefined;
    throw code === SQLITE_BUSY ? uploadLocked() : error;
  }
}

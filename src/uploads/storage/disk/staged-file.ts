import { type FileHandle, mkdir, open, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { UploadDescription, UploadId } from '../../../domain/upload.ts';
import { hasCode, translateDiskError, unlessMissing } from '../errors.ts';
import type { UploadWriter } from '../staged-upload.ts';
import { WriteBuffer } from '../write-buffer.ts';
import { removeFile } from './expiry-folders.ts';
import { encodeFooter } from './stored-file.ts';

/** How much is kept in memory before the file is created: most uploads are smaller and take one write. */
const SMALL_BYTES = 64 * 1024;
const BATCH_BYTES = 512 * 1024;

/** The file of a staged upload, written in few large batches. */
export class StagedFile implements UploadWriter {
  readonly translateError = translateDiskError;
  readonly #path: string;
  readonly #moveIntoPlace: (path: string, id: UploadId) => Promise<void>;
  readonly #buffer: WriteBuffer;
  #handle: FileHandle | undefined;

  /** `moveIntoPlace` moves a file to the path of an id. */
  constructor(path: string, moveIntoPlace: (path: string, id: UploadId) => Promise<void>) {
    this.#path = path;
    this.#moveIntoPlace = moveIntoPlace;
    this.#buffer = new WriteBuffer({
      smallBytes: SMALL_BYTES,
      batchBytes: BATCH_BYTES,
      isEven: false,
      write: async (batch) => (await this.#open()).appendFile(batch),
    });
  }

  append(chunk: Buffer): Promise<void> | undefined {
    return this.#buffer.append(chunk);
  }

  /** Writes the remaining bytes and the description at once, flushes and closes the file, and moves it into place. */
  async publish(id: UploadId, description: UploadDescription): Promise<void> {
    const rest = await this.#buffer.finish();
    const handle = await this.#open();
    await handle.appendFile(Buffer.concat([rest, encodeFooter(description)]));
    await handle.datasync();
    await handle.close();
    await this.#moveIntoPlace(this.#path, id);
  }

  /** Closes the file, and removes it unless it has been moved. */
  async discard(): Promise<void> {
    await this.#buffer.settle();
    if (!this.#handle) return;
    await this.#handle.close();
    await removeFile(this.#path);
  }

  async #open(): Promise<FileHandle> {
    this.#handle ??= (await unlessMissing(open(this.#path, 'w'))) ?? (await this.#openInNewFolder());
    return this.#handle;
  }

  /** Another process has taken this one for dead while it was suspended, and has removed its folder, but no folder above. */
  async #openInNewFolder(): Promise<FileHandle> {
    await mkdir(dirname(this.#path)).catch((error: unknown) => {
      if (!hasCode(error, 'EEXIST')) throw error;
    });
    return open(this.#path, 'w');
  }
}

/** Writes a small file at once and flushes it. A failure leaves nothing behind. */
export async function writeFlushed(path: string, content: Buffer): Promise<void> {
  await writeFile(path, content, { flush: true }).catch(async (error: unknown) => {
    await removeFile(path);
    throw translateDiskError(error);
  });
}

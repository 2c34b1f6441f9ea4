import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { UploadDescription, UploadId } from '../../../../domain/upload.ts';
import type { LockedUpload, ResumableState } from '../../../resumable-storage.ts';
import type { StagedUpload, StageOptions } from '../../../storage.ts';
import { translateDiskError } from '../../errors.ts';
import { stageUpload } from '../../staged-upload.ts';
import { WriteBuffer } from '../../write-buffer.ts';
import type { ChunkSize } from '../chunk-sizes.ts';
import { readRange } from '../read-range.ts';
import { encodeFooter } from '../stored-file.ts';
import { removeDurably, type UploadFolder, writeDurably } from './upload-folder.ts';

/** Writes are small: a crash loses what is in the buffers, and the client then sends it again. */
const BATCH_BYTES = { smallBytes: 64 * 1024, batchBytes: 256 * 1024 };

/** The size of the chunks in which all bytes are read again. */
const CHUNK_SIZE: ChunkSize = { next: () => 128 * 1024, end() {} };

interface LockedFolderOptions {
  folder: UploadFolder;
  state: ResumableState;
  /** Removes the folder. Resolves once a power cut cannot undo it. */
  remove: () => Promise<void>;
  /** Releases the lock. */
  release: () => void;
  /** Moves a file to the path of an id. Resolves once a power cut cannot undo it. */
  moveIntoPlace: (path: string, id: UploadId) => Promise<void>;
  /** Ms since 1970. */
  clock: () => number;
}

/** A resumable upload on a disk that this process writes to. */
export class LockedFolder implements LockedUpload {
  readonly state: ResumableState;
  readonly #options: LockedFolderOptions;
  readonly #buffer = new WriteBuffer({
    ...BATCH_BYTES,
    isEven: false,
    write: async (batch) => (await this.#open()).appendFile(batch),
  });
  #opening: Promise<FileHandle> | undefined;

  constructor(options: LockedFolderOptions) {
    this.#options = options;
    this.state = options.state;
  }

  async startUnverified(): Promise<void> {
    await writeDurably(this.#options.folder.unverified, String(this.state.offset));
  }

  append(chunk: Buffer): Promise<void> | undefined {
    return this.#buffer.append(chunk)?.catch(throwTranslated);
  }

  async commit(): Promise<number> {
    const offset = await this.#flush().catch(throwTranslated);
    await removeDurably(this.#options.folder.unverified);
    return offset;
  }

  async rollback(): Promise<void> {
    await this.#buffer.settle();
    const file = await this.#open();
    await file.truncate(this.state.offset);
    await file.datasync();
    await removeDurably(this.#options.folder.unverified);
  }

  async stage(watch?: StageOptions['watch']): Promise<StagedUpload> {
    await this.#close();
    const { folder, clock } = this.#options;
    const { length } = this.state.announced;
    const writer = {
      append: () => undefined,
      publish: (id: UploadId, description: UploadDescription) => this.#publish(id, description),
      discard: async () => {},
      translateError: translateDiskError,
    };
    const bytes = await readRange(folder.bytes, { start: 0, end: length - 1 }, () => CHUNK_SIZE);
    return stageUpload(bytes, writer, clock, { watch });
  }

  async remove(): Promise<void> {
    await this.#close();
    await this.#options.remove();
  }

  async release(): Promise<void> {
    await this.#close();
    this.#options.release();
  }

  /** Writes the id first: after a crash, a file of that id proves that the upload was published. */
  async #publish(id: UploadId, description: UploadDescription): Promise<void> {
    const { folder, moveIntoPlace } = this.#options;
    await writeDurably(folder.published, id);
    const file = await openAt(folder.bytes, this.state.announced.length);
    try {
      await file.appendFile(encodeFooter(description));
      await file.datasync();
    } finally {
      await file.close();
    }
    await moveIntoPlace(folder.bytes, id);
  }

  /** Writes and flushes all bytes, and resolves with their number. */
  async #flush(): Promise<number> {
    const rest = await this.#buffer.finish();
    const file = await this.#open();
    if (rest.length > 0) await file.appendFile(rest);
    await file.datasync();
    return (await file.stat()).size;
  }

  /** Opens the file at the first call, and drops what a crash left after the offset. */
  #open(): Promise<FileHandle> {
    this.#opening ??= openAt(this.#options.folder.bytes, this.state.offset);
    return this.#opening;
  }

  async #close(): Promise<void> {
    await this.#buffer.settle();
    const file = await this.#opening?.catch(() => undefined);
    this.#opening = undefined;
    await file?.close();
  }
}

/** Opens an existing file to append to it, and truncates it to `offset`. */
async function openAt(path: string, offset: number): Promise<FileHandle> {
  const file = await open(path, constants.O_WRONLY | constants.O_APPEND);
  try {
    if ((await file.stat()).size > offset) await file.truncate(offset);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

function throwTranslated(error: unknown): never {
  throw translateDiskError(error);
}

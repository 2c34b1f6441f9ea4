import type { UploadDescription } from '../../../../domain/upload.ts';
import type { LockedUpload, ResumableState } from '../../../resumable-storage.ts';
import type { StagedUpload, StageOptions } from '../../../storage.ts';
import { translateDiskError } from '../../errors.ts';
import { stageUpload } from '../../staged-upload.ts';
import type { ChunkSize } from '../chunk-sizes.ts';
import { readRange } from '../read-range.ts';
import { encodeFooter } from '../stored-file.ts';
import { GrowingFile } from './growing-file.ts';
import type { FileLock } from './lock-file.ts';
import { removeDurably, removeUploadFolder, type UploadFolder, writeDurably } from './upload-folder.ts';

/** The size of the chunks in which all bytes are read again. */
const CHUNK_SIZE: ChunkSize = { next: () => 128 * 1024, end() {} };

interface LockedFolderOptions {
  folder: UploadFolder;
  state: ResumableState;
  lock: FileLock;
  /** Moves a file to the path of an id. Resolves once a power cut cannot undo it. */
  moveIntoPlace: (path: string, id: string) => Promise<void>;
  /** Ms since 1970. */
  clock: () => number;
}

/** A resumable upload on a disk that this process writes to. */
export class LockedFolder implements LockedUpload {
  readonly state: ResumableState;
  readonly #options: LockedFolderOptions;
  #opening: Promise<GrowingFile> | undefined;
  #file: GrowingFile | undefined;

  constructor(options: LockedFolderOptions) {
    this.#options = options;
    this.state = options.state;
  }

  async startUnverified(): Promise<void> {
    await writeDurably(this.#options.folder.unverified, String(this.state.offset));
  }

  append(chunk: Buffer): Promise<void> | undefined {
    const wait = this.#file ? this.#file.append(chunk) : this.#open().then((file) => file.append(chunk));
    return wait?.catch(throwTranslated);
  }

  async commit(): Promise<number> {
    const file = await this.#open();
    const offset = await file.flush().catch(throwTranslated);
    await removeDurably(this.#options.folder.unverified);
    return offset;
  }

  async rollback(): Promise<void> {
    await (await this.#open()).truncate(this.state.offset);
    await removeDurably(this.#options.folder.unverified);
  }

  async stage(watch?: StageOptions['watch']): Promise<StagedUpload> {
    await this.#close();
    const { folder, lock, clock } = this.#options;
    const { length } = this.state.announced;
    const writer = {
      append: () => lock.renew(),
      publish: (id: string, description: UploadDescription) => this.#publish(id, description),
      discard: async () => {},
      translateError: translateDiskError,
    };
    const bytes = await readRange(folder.bytes, { start: 0, end: length - 1 }, () => CHUNK_SIZE);
    return stageUpload(bytes, writer, clock, { watch });
  }

  async remove(): Promise<void> {
    await this.#close();
    await removeUploadFolder(this.#options.folder);
  }

  async release(): Promise<void> {
    await this.#close();
    await this.#options.lock.release();
  }

  /** Writes the id first: after a crash, a file of that id proves that the upload was published. */
  async #publish(id: string, description: UploadDescription): Promise<void> {
    const { folder, lock, moveIntoPlace } = this.#options;
    const { length } = this.state.announced;
    await lock.renew();
    await writeDurably(folder.published, id);
    const file = await GrowingFile.open(folder.bytes, length, () => lock.renew());
    try {
      await file.append(encodeFooter(description));
      await file.flush();
    } finally {
      await file.close();
    }
    await moveIntoPlace(folder.bytes, id);
  }

  /** Opens the file at the first call, and drops what a crash left after the offset. */
  async #open(): Promise<GrowingFile> {
    const { folder, lock } = this.#options;
    this.#opening ??= GrowingFile.open(folder.bytes, this.state.offset, () => lock.renew());
    this.#file = await this.#opening;
    return this.#file;
  }

  async #close(): Promise<void> {
    const file = await this.#opening?.catch(() => undefined);
    this.#opening = undefined;
    this.#file = undefined;
    await file?.close();
  }
}

function throwTranslated(error: unknown): never {
  throw translateDiskError(error);
}

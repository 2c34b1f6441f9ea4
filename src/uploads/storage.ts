import { AppError } from '../domain/errors.ts';
import type { DependencyCheck } from '../domain/health.ts';
import { formatSize } from '../domain/units.ts';
import type { UploadDescription } from '../domain/upload.ts';
import type { UploadId } from '../domain/upload-id.ts';
import type { ResumableStorage } from './resumable/resumable-storage.ts';
import type { Failures } from './storage/failures.ts';
import type { Objects } from './storage/objects.ts';

/** An upload whose bytes are stored and that is not visible yet. Either `publish` or `discard` has to be called. */
export interface StagedUpload {
  readonly size: number;
  /** Lower-case hex. */
  readonly sha256: string;
  /** The first 4,100 bytes at most: enough to detect a media type. */
  readonly head: Buffer;
  /** Yields all bytes, before the upload is published or discarded. */
  read(): Chunks;
  /**
   * Makes bytes and description visible under `id` in one step. Resolves once a power cut cannot undo it. Throws AppError
   * `storage-full`; a failure discards the upload. `requireGranted` throws when it may not become visible any more, such as
   * without the space for it: it is called after all that takes time, right before that step.
   */
  publish(id: UploadId, description: UploadDescription, requireGranted?: () => void): Promise<void>;
  /** Removes the upload; a sweep removes what this could not. Does nothing when called again or after `publish`. */
  discard(): Promise<void>;
}

/** Both ends are inclusive and within the file, in bytes. */
export interface ByteRange {
  start: number;
  end: number;
}

/** To be read by a loop, which may break off. A chunk is valid until the next one is requested: its memory is reused. */
export type Chunks = AsyncIterable<Buffer>;

/** A published file. It holds no descriptor, so an answer without a body need not release anything. */
export interface StoredFile {
  readonly description: UploadDescription;
  /**
   * Resolves with the bytes, all or a range of them: at once when they are few, else in chunks, which have to be read. Bytes
   * stay readable although the file is removed meanwhile. Throws AppError `not-found` when the file was removed before.
   */
  read(range?: ByteRange): Promise<Buffer | Chunks>;
  /**
   * Resolves with an address at which the object store itself sends the bytes, for so many seconds. Absent where it does not,
   * and for small files, which may share an object with other things.
   */
  presign?: (content: ContentHeaders, seconds: number) => Promise<string>;
}

/** As what a file is sent by an object store. */
export interface ContentHeaders {
  type: string;
  disposition: string;
}

/** Why, and when, the operator removed a file. */
export interface RemovalMark {
  reason: 'operator' | 'legal';
  /** Ms since 1970. */
  removedAt: number;
  /** The SHA-256 of the removed bytes, in lower-case hex; empty where it was unknown. */
  sha256: string;
}

/** Thrown by `Storage.open` for a file that the operator removed. */
export class RemovedFileError extends AppError {
  readonly mark: RemovalMark;

  constructor(mark: RemovalMark) {
    const isLegal = mark.reason === 'legal';
    super(
      isLegal ? 'removed-legally' : 'removed',
      `this file was removed ${isLegal ? 'for legal reasons' : 'by the operator of this service'}`,
    );
    this.mark = mark;
  }
}

/** AppError `not-found`. */
export function noSuchFile(): AppError {
  return new AppError('not-found', 'there is no such file: it was deleted, or never existed');
}

/** Opens a file. Throws AppError `not-found`, and as `Storage.open` does. */
export async function requireFile(storage: Pick<Storage, 'open'>, id: UploadId): Promise<StoredFile> {
  const file = await storage.open(id);
  if (!file) throw noSuchFile();
  return file;
}

/** AppError `storage-down`. Its message is for the client, its cause for the operator. */
export function storageDown(cause: unknown): AppError {
  const message = 'the files cannot be reached at the moment; try again later';
  return new AppError('storage-down', message, { cause });
}

export function fileTooLarge(maxBytes: number): AppError {
  return new AppError('too-large', `the file is larger than ${formatSize(maxBytes)}`);
}

/** A stored file as the quota counts it. Its id contains its expiry. */
export interface Usage {
  id: UploadId;
  owner: string;
  /** What it occupies, in bytes: `occupiedBytes` of a file, `resumableBytes` of an upload. */
  size: number;
  uploadedAt: number;
}

/** How much a sweep removed: expired files, and incomplete uploads whose process had died or whose time was over. */
export interface Swept {
  files: number;
  stagedUploads: number;
  /** The ids of files and uploads whose removal it has finished. */
  removed: UploadId[];
  /** The ids of complete uploads that name their files for longer than they could be continued. */
  kept: UploadId[];
}

/** What a copy to another storage needs beside the other methods of a storage. */
export interface StorageContents {
  /** Yields the ids of the published files, and of the marks in place of files, in no order. Throws where it cannot list all. */
  ids(): AsyncIterable<UploadId>;
  /** Puts a mark where there is no file. */
  putMark(id: UploadId, mark: RemovalMark): Promise<void>;
  /** The names of folders of a kind that this version does not know, and that a copy would leave out. */
  findUnknown(): Promise<string[]>;
}

/** Keeps uploads. Opening one writes nothing and does not fail because of what it needs later. */
export interface Storage {
  /**
   * Stages the chunks, such as a stream, to their end; needs each no more when it requests the next. A failure destroys the
   * stream, leaves nothing behind and is thrown: more than `maxBytes` is AppError `too-large`, a full disk `storage-full`. A
   * storage across a network may fail with `storage-down`, here and in every method; a disk, with the error of Node.
   */
  stage(chunks: AsyncIterable<Buffer>, maxBytes?: number): Promise<StagedUpload>;
  /** Undefined when there is no such file. Throws RemovedFileError for one that the operator removed. */
  open(id: UploadId): Promise<StoredFile | undefined>;
  /**
   * Removes a file; or replaces it or an earlier mark by a mark, in one step, until the file's expiry. Resolves, once a power
   * cut cannot undo it, with whether there was one. It is gone for readers then; what is left of it, the next sweep removes. A
   * removal that fails can be repeated, or a sweep finishes it.
   */
  remove(id: UploadId, mark?: RemovalMark): Promise<boolean>;

  /**
   * Removes expired files, and staged uploads of processes that have shown no sign of life for 20 s. Those of living processes
   * stay: several may share a storage, at least while one takes over from another. Hours that are over are removed as a whole,
   * and later ones are not read. Each step and each item fails alone, and is noted in `failures`.
   */
  sweep(now: number, failures?: Failures): Promise<Swept>;

  /** Uploads that arrive in several requests. A sweep removes those that are not complete when their time is over. */
  readonly resumable: ResumableStorage;

  /**
   * Yields every published file, in no order. Files that come or go meanwhile may be missed. One that cannot be read is noted
   * in `failures`, and counts for an unknown owner.
   */
  usage(failures?: Failures): AsyncIterable<Usage>;
  /** Resolves with how many bytes are free, and how many more files and folders there may be; Infinity where it is unknown. */
  free(): Promise<{ bytes: number; files: number }>;
  /** The records of moderation, so few that listing all of them is cheap. */
  readonly records: Objects;
  /** Collections of files, as collection-store.ts keeps them. */
  readonly collections: Objects;
  readonly contents: StorageContents;
  /** Rejects when files cannot be stored. One that is full works. */
  check: DependencyCheck;
  /** What is still staged is discarded, or removed by the next sweep of a process. */
  close(): Promise<void>;
}

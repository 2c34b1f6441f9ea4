import { AppError } from '../../domain/errors.ts';
import type { UploadId } from '../../domain/upload-id.ts';
import type { Sender, SenderClaims } from '../publish.ts';
import type { Failures } from '../storage/failures.ts';
import type { Chunks, StagedUpload, Swept, Usage } from '../storage.ts';

/** An upload of which no byte has arrived for so long is forgotten. */
export const BYTELESS_LIFE_MS = 600_000;

/** What the client announced when it created a resumable upload. */
export interface Announcement extends Sender, Pick<SenderClaims, 'originalname' | 'mimetype'> {
  /** The size of the whole file, in bytes. */
  length: number;
  /** `Upload-Metadata` as it was sent, which HEAD repeats; empty when there was none. */
  metadata: string;
  /** How long the file lives once it is complete. */
  lifetimeMs: number;
  /** Ms since 1970. */
  createdAt: number;
}

/** The progress of a resumable upload. */
export interface ResumableState {
  announced: Announcement;
  /** The number of bytes that a power cut cannot undo. */
  offset: number;
  /** The id under which publication began. The upload is complete if there is a file of that id. */
  publishedAs: UploadId | undefined;
}

/** A resumable upload, locked against other writers until it is released. */
export interface LockedUpload {
  /** The state at the time of the lock. */
  readonly state: ResumableState;
  /** Makes the bytes that are appended from now on count only after `commit`. A crash removes them as `rollback` does. */
  startUnverified(): Promise<void>;
  /**
   * Appends bytes, after what was appended before. Resolves once their memory may be reused. Throws AppError `storage-full`, or
   * `locked` when another process has taken over.
   */
  append(chunk: Buffer): Promise<void>;
  /** Resolves with the offset once a power cut can no longer undo what was appended. Follows the last `append`. */
  commit(): Promise<number>;
  /** Removes what was appended after `startUnverified`. */
  rollback(): Promise<void>;
  /** Reads all bytes of a complete upload. A discard keeps them. Throws AppError `not-found` when they are gone. */
  stage(): Promise<StagedUpload>;
  /**
   * Removes the upload. Resolves once a power cut cannot undo it; what is left of it, the next sweep removes. A file that was
   * published of it stays.
   */
  remove(): Promise<void>;
  /** Has to be called in any case. */
  release(): Promise<void>;
}

/** A resumable upload as it is stored. */
export interface StoredResumable {
  announced: Announcement;
  publishedAs: UploadId | undefined;
  /** The number of bytes that are stored and acknowledged; 0 once they have become a file. */
  size: number;
  /** Reads the bytes from `start` on. */
  read(start?: number): Chunks;
}

/**
 * Keeps uploads that arrive in several requests, perhaps to several processes. A key has the form of an upload's id and carries
 * the time until which the upload may be continued.
 */
export interface ResumableStorage {
  create(key: UploadId, announced: Announcement): Promise<void>;
  /** Undefined when there is no such upload. */
  find(key: UploadId): Promise<ResumableState | undefined>;
  /** Undefined when there is no such upload. Throws AppError `locked` while another process writes to it. */
  lock(key: UploadId): Promise<LockedUpload | undefined>;
  /** Whether a living process writes to an upload. `elapsedMs`: monotonic clock. */
  isHeld(key: UploadId, elapsedMs: number): Promise<boolean>;
  /** Asks the writing process to stop once it receives no more bytes. `endRequest` withdraws this. */
  requestTurn(key: UploadId): Promise<void>;
  isTurnRequested(key: UploadId): Promise<boolean>;
  endRequest(key: UploadId): Promise<void>;
  /** Yields the uploads, each with the bytes that have arrived unless it is complete, as `Storage.usage` does. */
  usage(failures?: Failures): AsyncIterable<Usage>;
  /** Removes uploads that were not complete in time, or of which nothing has come, and what requests and removals have left. */
  sweep(now: number, swept: Swept, failures: Failures): Promise<void>;
  /** An upload as it is stored, for a copy. Undefined when there is none. */
  inspect(key: UploadId): Promise<StoredResumable | undefined>;
  /** Says under which id the publication of an upload began elsewhere, from which it was copied. */
  putPublishedAs(key: UploadId, id: UploadId): Promise<void>;
  /** Yields the uploads, complete ones among them. Throws where it cannot list all. */
  keys(): AsyncIterable<UploadId>;
}

/** AppError `locked`. */
export function uploadLocked(): AppError {
  return new AppError('locked', 'another request is writing to this upload; try again in a few seconds');
}

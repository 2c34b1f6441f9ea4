import type { StagedUpload, StageOptions, Usage } from './storage.ts';

/** What was announced when a resumable upload was created. Times are in ms. */
export interface Announcement {
  /** Of the whole file, in bytes. */
  length: number;
  /** The key of the quota that the upload counts against. */
  owner: string;
  /** The client's address. */
  address: string;
  originalname: string;
  mimetype: string;
  /** `Upload-Metadata` as it was sent, which HEAD repeats; empty when there was none. */
  metadata: string;
  /** How long the file lives once it is complete. */
  lifetimeMs: number;
  /** Since 1970. */
  createdAt: number;
}

/** How far a resumable upload has come. */
export interface ResumableState {
  announced: Announcement;
  /** Bytes that are stored, whether or not the power fails. */
  offset: number;
  /** The id under which publication began. The upload is complete if there is a file of that id. */
  publishedAs: string | undefined;
}

/** A resumable upload that nobody else writes to until it is released. */
export interface LockedUpload {
  /** As it was when it was locked. */
  readonly state: ResumableState;
  /** Nothing that is appended from now on counts before `commit`: a crash undoes it as `rollback` does. */
  startUnverified(): Promise<void>;
  /**
   * Appends bytes. Returns a promise when the sender has to wait. Throws AppError `storage-full`, or `locked` when
   * another process has taken over.
   */
  append(chunk: Buffer): Promise<void> | undefined;
  /** Resolves with the offset once all that was appended is stored, whether or not the power fails. */
  commit(): Promise<number>;
  /** Removes what was appended after `startUnverified`. */
  rollback(): Promise<void>;
  /** Reads all bytes of a complete upload, which `watch` gets too. A discard keeps them. Throws AppError `not-found` when they are gone. */
  stage(watch?: StageOptions['watch']): Promise<StagedUpload>;
  /** Removes the upload. A file that was published of it stays. */
  remove(): Promise<void>;
  /** To be called in any case. */
  release(): Promise<void>;
}

/**
 * Keeps uploads that arrive in several requests, perhaps to several processes. A key has the form of an upload's id and
 * carries the time until which the upload may be continued.
 */
export interface ResumableStorage {
  create(key: string, announced: Announcement): Promise<void>;
  /** Undefined when there is no such upload. */
  find(key: string): Promise<ResumableState | undefined>;
  /** Undefined when there is no such upload. Throws AppError `locked` while another process writes to it. */
  lock(key: string): Promise<LockedUpload | undefined>;
  /** Yields what has to be counted in the quota: uploads that are not complete, each as large as announced. */
  usage(): AsyncIterable<Usage>;
}

/** What an upload counts for in the quota until it is complete. */
export function usageOf(key: string, { length, owner, createdAt }: Announcement): Usage {
  return { id: key, owner, size: length + OVERHEAD_BYTES, uploadedAt: createdAt };
}

/** A folder and the description, in disk blocks: an upload of no bytes counts as well. */
const OVERHEAD_BYTES = 8 * 1024;

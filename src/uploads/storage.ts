import type { Readable } from 'node:stream';
import type { UploadDescription } from '../domain/upload.ts';

export interface StageOptions {
  /** One byte more, and staging fails as `too-large`. */
  maxBytes?: number;
  /** Gives up, also while the sender is silent: an AbortError, with the signal's reason as its cause. */
  signal?: AbortSignal;
}

/** Bytes that have arrived whole and are nobody's yet. End it with `publish` or `discard`: it may hold a descriptor. */
export interface Draft {
  /** In bytes. */
  readonly size: number;
  /** Lower-case hex. */
  readonly sha256: string;
  /** The first 4,100 bytes at most: what it takes to tell a media type. */
  readonly head: Buffer;
  /**
   * Makes bytes and description visible under `id` in one step, and resolves once a power cut cannot undo it.
   * Throws `expired` when the id's time is over, `storage-full`; a draft that could not be published is discarded.
   */
  publish(id: string, description: UploadDescription): Promise<void>;
  /** Leaves nothing behind, or what a sweep removes if that fails; does nothing a second time, or after `publish`. */
  discard(): Promise<void>;
}

/** Both ends inclusive and within the file, in bytes. */
export interface ByteRange {
  start: number;
  end: number;
}

/** Bytes piece by piece. A piece is good until the next one is asked for: its memory is used again. */
export type Pieces = AsyncIterableIterator<Buffer, void> &
  Required<Pick<AsyncIterator<Buffer, void>, 'return'>>;

/** A file that was there when asked for. Holds no descriptor: a HEAD, a 304 or a page need not release anything. */
export interface StoredFile {
  readonly description: UploadDescription;
  /**
   * The bytes, or the range of them: at once when they are few, else in pieces, to be read to their end or returned.
   * What has been handed out stays readable although the file is removed; `not-found` when it went before.
   */
  read(range?: ByteRange): Promise<Buffer | Pieces>;
}

/** A stored file as the quota counts it; what expires when, its id tells. */
export interface Usage {
  id: string;
  /** Empty for a damaged file, which nobody can say the owner of. */
  owner: string;
  /** What it occupies, in bytes; `occupiedBytes` of its description. */
  size: number;
  uploadedAt: number;
}

/** What a sweep removed: files past their expiry, and drafts whose process had died. */
export interface Swept {
  files: number;
  drafts: number;
}

/** The port through which uploads are kept. An `id` that is not one is simply not there. */
export interface Storage {
  /**
   * Takes the stream to its end. Whatever goes wrong destroys it, leaves nothing and is thrown, a full disk as
   * `storage-full`. A storage that others share a network with may fail with `storage-down`, here and everywhere.
   */
  stage(stream: Readable, options?: StageOptions): Promise<Draft>;
  open(id: string): Promise<StoredFile | undefined>;
  /** Whether there was something to remove, as far as this process can tell; removing what is missing succeeds. */
  remove(id: string): Promise<boolean>;

  /**
   * The life of a file. Its bytes are staged aside, where nobody can ask for them, while the request that brings
   * them can still fail; then the draft is discarded, or it is published: flushed, and made visible together with
   * its description in one step. From then on it is whole or not there. It is read until the millisecond its id
   * names, which the caller checks without asking here, or until its owner removes it. A download under way may
   * finish. What has expired lies dead until the next sweep, which takes the hours that are over as a whole, goes
   * through the names of the hour under way, and touches none of those to come.
   *
   * A process that dies leaves its drafts. The sweep of any other removes them soon after (20 s), and never those
   * of a process that lives: many may share a storage, if only while one takes over from the other.
   */
  sweep(now: number): Promise<Swept>;

  /** Every visible file, one at a time and in no order; what comes or goes meanwhile may be missed. */
  usage(): AsyncIterable<Usage>;
  /** Room left, in bytes; Infinity where nobody can tell. */
  freeBytes(): Promise<number>;
  /** Gives up the drafts of this process. */
  close(): Promise<void>;
}

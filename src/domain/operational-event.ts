import type { AppError, ErrorCode } from './errors.ts';
import type { ReportReason } from './file-report.ts';
import type { DependencyName } from './health.ts';

/** The server that received a request. */
export type Origin = 'listing' | 'uploads';

/** A field of a card that could not be read, and whether its last good record is listed instead. */
export interface CardOmission {
  /** `schedule`, or `ongoing page 3`. */
  page: string;
  /** The position of the card, from 1. */
  card: number;
  field: string;
  found: string;
  /** Why `found` cannot be parsed, where that is not obvious. */
  why?: string;
  /** What contradicts `found`, where it could be parsed. */
  against?: string;
  kept: boolean;
}

/** Everything that is logged or counted. Features get a `Report`, never a logger. */
export type OperationalEvent =
  /** A line of what an operator asks first, without secrets. */
  | { type: 'starting'; what: 'version' | 'origins' | 'jobs' | 'store' | 'source'; value: string }
  | { type: 'listening'; origin: Origin; address: string }
  /** The operations server listens: metrics and health. */
  | { type: 'measuring'; address: string }
  /** Connections beyond the number that an origin may have, since the last such event. */
  | { type: 'connections-refused'; origin: Origin | 'operations'; count: number }
  | { type: 'stopping'; signal: string }
  | { type: 'stopped' }
  | { type: 'snapshot-loaded'; anime: number; scheduled: number; changedAt: number }
  | { type: 'snapshot-absent' }
  | { type: 'refresh-started'; mirror: string }
  | { type: 'refresh-elsewhere' }
  | { type: 'page-read'; page: string; done: number; total: number | undefined }
  | { type: 'attempt-failed'; what: string; error: unknown; retryInMs: number }
  | { type: 'mirror-changed'; from: string; to: string }
  | { type: 'mirror-failed'; mirror: string; error: AppError }
  | ({ type: 'card-omitted' } & CardOmission)
  /** Pages are read by repaired selectors, which are new or differ from those before. */
  | { type: 'selectors-repaired'; repairs: { field: string; was: string; now: string; agreement: number }[] }
  /** The written selectors match again. */
  | { type: 'selectors-restored'; fields: string[] }
  | { type: 'anime-missing'; from: 'the ongoing list' | 'the schedule'; slugs: string[] }
  | {
      type: 'refresh-finished';
      pages: number;
      anime: number;
      scheduled: number;
      changes: number;
      tookMs: number;
    }
  /** Page 1 was read between two crawls, and was as before or added up. */
  | { type: 'peek-finished'; changes: number; tookMs: number }
  | {
      type: 'refresh-refused';
      error: unknown;
      /** Whether the state of the source has changed. */
      isNews: boolean;
      /** Whether a last good snapshot exists, which stays in use. */
      hasSnapshot: boolean;
      /** When the source is asked again, ms since 1970; null without a timer. */
      nextAttempt: number | null;
    }
  /** The pages of so many anime were read. */
  | { type: 'details-read'; count: number }
  | { type: 'details-failed'; slug: string; error: AppError }
  /** The calendar of broadcasts was read. */
  | { type: 'calendar-read'; broadcasts: number }
  /** `isNews`: whether this is the first failure in a row. */
  | { type: 'calendar-failed'; error: AppError; isNews: boolean }
  | { type: 'uploads-swept'; files: number; stagedUploads: number }
  | { type: 'store-failed'; doing: string; error: unknown }
  | { type: 'store-damaged'; aside: string; error: unknown }
  /** The store had forgotten what this process knew, and has it again. */
  | { type: 'store-refilled'; events: number }
  | { type: 'render-failed'; error: unknown }
  /** The clock was set forward. */
  | { type: 'clock-jumped'; byMs: number }
  /** A message was delivered. `receiver` is a name without secrets, here and below. */
  | { type: 'webhook-sent'; receiver: string; message: string }
  /** `isNews`: whether this is the first failure in a row. */
  | { type: 'webhook-failed'; receiver: string; reason: string; retryInMs: number; isNews: boolean }
  | { type: 'webhook-restored'; receiver: string; downMs: number }
  /** Messages were dropped: they failed for a day, or the receiver refuses them. */
  | { type: 'webhook-dropped'; receiver: string; count: number; reason: string }
  /** The receiver answered 410, and is sent nothing more. */
  | { type: 'webhook-gone'; receiver: string }
  /** How many messages of Web Push were delivered, failed, were dropped, or went to a subscription that has ended. */
  | {
      type: 'push-sent';
      /** Whether these were other attempts at late messages. */
      isRetry: boolean;
      delivered: number;
      failed: number;
      gone: number;
      dropped: number;
      /** The last failure, without the address. */
      reason: string | null;
    }
  /** A thread threw, ran out of memory or froze, and is restarted. */
  | { type: 'thread-failed'; thread: 'crawler' | 'uploads'; error: unknown; retryInMs: number }
  /** The audit record of a file: what was stored, and for whom. It never has the secret that deletes the file. */
  | {
      type: 'upload-received';
      id: string;
      /** In bytes. */
      size: number;
      mediaType: string;
      sha256: string;
      address: string;
    }
  /** An upload was refused for its bytes or for its sender's address. */
  | { type: 'upload-blocked'; by: 'sha256' | 'address'; address: string; sha256?: string }
  /**
   * `note` is cleaned and cut for the log. `isStored`: false when too many reports wait for the operator. `earlier`: how
   * many stored reports the file had before.
   */
  | {
      type: 'file-reported';
      id: string;
      reason: ReportReason;
      note: string;
      isStored: boolean;
      earlier: number;
    }
  | { type: 'upload-scanned'; outcome: 'clean' }
  | { type: 'upload-scanned'; outcome: 'found'; signature: string }
  | { type: 'upload-scanned'; outcome: 'failed'; error: unknown }
  | {
      type: 'request-answered';
      origin: Origin;
      /** Identifies the request in the log and in an error response. */
      id: string;
      method: string;
      path: string;
      /** The pattern of the matched route; null when none matched. */
      route: string | null;
      status: number;
      /** The error code of a refused request; null when it was not refused. */
      code: ErrorCode | null;
      tookMs: number;
    }
  /** A dependency has begun to fail. */
  | { type: 'dependency-down'; name: DependencyName; error: unknown }
  | { type: 'dependency-restored'; name: DependencyName; downMs: number }
  | { type: 'request-failed'; id: string; method: string; path: string; error: unknown };

/** Reports an event to the log and the metrics. It returns at once and never throws. */
export type Report = (event: OperationalEvent) => void;

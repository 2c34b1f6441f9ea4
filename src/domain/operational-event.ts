import type { AppError, ErrorCode } from './errors.ts';

/** The server that received a request. */
export type Origin = 'listing' | 'uploads';

/** Everything that is logged or counted. Features get a `Report` and never a logger. */
export type OperationalEvent =
  | { type: 'listening'; origin: Origin; address: string }
  | { type: 'measuring'; address: string }
  | { type: 'connections-not-migrated' }
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
  | {
      type: 'card-omitted';
      page: string;
      card: number;
      field: string;
      found: string;
      /** Why `found` cannot be parsed, where that is not obvious. */
      why?: string;
      /** What contradicts `found`, where it could be parsed. */
      against?: string;
      kept: boolean;
    }
  /** Pages are read by selectors that were found anew, or other ones than before. */
  | { type: 'selectors-repaired'; repairs: { field: string; was: string; now: string; agreement: number }[] }
  /** The written selectors hold again. */
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
  /** `hasSnapshot`: whether a last good snapshot exists, which stays in use. */
  | { type: 'refresh-refused'; error: unknown; isNews: boolean; hasSnapshot: boolean }
  | { type: 'uploads-swept'; files: number; stagedUploads: number }
  | { type: 'store-failed'; doing: string; error: unknown }
  | { type: 'store-damaged'; aside: string; error: unknown }
  | { type: 'render-failed'; error: unknown }
  | { type: 'clock-jumped'; byMs: number }
  | { type: 'day-failed'; error: unknown }
  /** A thread threw, ran out of memory or froze, and is restarted. */
  | { type: 'thread-failed'; thread: 'crawler' | 'uploads'; error: unknown; retryInMs: number }
  | { type: 'upload-received'; bytes: number }
  | { type: 'limiter-refused'; limit: 'rate' | 'concurrency' }
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
  | { type: 'store-restored'; downMs: number }
  | { type: 'storage-restored'; downMs: number }
  | { type: 'limiter-degraded'; error: unknown }
  | { type: 'limiter-restored'; downMs: number }
  | { type: 'request-failed'; id: string; method: string; path: string; error: unknown };

/** Reports an event to the log and the metrics. It returns at once and never throws. */
export type Report = (event: OperationalEvent) => void;

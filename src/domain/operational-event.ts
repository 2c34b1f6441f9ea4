import type { AppError, ErrorCode } from './errors.ts';

/** Where a request came in. */
export type Origin = 'listing' | 'uploads';

/** Everything that can happen and that an operator may want to know. Features are handed a `Report`, never a logger. */
export type OperationalEvent =
  | { type: 'listening'; origin: Origin; address: string }
  | { type: 'measuring'; address: string }
  | { type: 'connections-not-migrated' }
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
      /** Why that cannot be read, where it is worth saying. */
      why?: string;
      /** What contradicts it, where it could be read. */
      against?: string;
      kept: boolean;
    }
  | { type: 'anime-missing'; from: 'the ongoing list' | 'the schedule'; slugs: string[] }
  | {
      type: 'refresh-finished';
      pages: number;
      anime: number;
      scheduled: number;
      changes: number;
      tookMs: number;
    }
  /** `hasSnapshot`: whether there is a last good one, which stands. */
  | { type: 'refresh-refused'; error: unknown; isNews: boolean; hasSnapshot: boolean }
  | { type: 'uploads-swept'; files: number; stagedUploads: number }
  | { type: 'store-failed'; doing: string; error: unknown }
  | { type: 'store-damaged'; aside: string; error: unknown }
  | { type: 'render-failed'; error: unknown }
  | { type: 'clock-jumped'; byMs: number }
  | { type: 'day-failed'; error: unknown }
  /** A thread threw, ran out of memory or froze; it is started again. */
  | { type: 'thread-failed'; thread: 'crawler' | 'uploads'; error: unknown; retryInMs: number }
  | { type: 'upload-received'; bytes: number }
  | { type: 'limiter-refused'; limit: 'rate' | 'concurrency' }
  | {
      type: 'request-answered';
      origin: Origin;
      /** What the request is called in the logs and in an error's answer. */
      id: string;
      method: string;
      path: string;
      /** The pattern of the route that answered; null where there is none. */
      route: string | null;
      status: number;
      /** Why it was refused; null where it was not. */
      code: ErrorCode | null;
      tookMs: number;
    }
  | { type: 'store-restored'; downMs: number }
  | { type: 'storage-restored'; downMs: number }
  | { type: 'limiter-degraded'; error: unknown }
  | { type: 'limiter-restored'; downMs: number }
  | { type: 'request-failed'; id: string; method: string; path: string; error: unknown };

export type Report = (event: OperationalEvent) => void;

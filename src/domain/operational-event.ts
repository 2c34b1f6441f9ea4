import type { AppError, ErrorCode } from './errors.ts';
import type { ReportReason } from './file-report.ts';
import type { DependencyName } from './health.ts';

/** The server that received a request. */
export type Origin = 'listing' | 'uploads';

/** Why a connection was closed without a response, or before its end. */
export type CloseReason =
  /** Its client sent, or read, more slowly than the minimum rate. */
  | 'slow-sender'
  | 'slow-reader'
  /** It had no request in flight for long. */
  | 'idle'
  /** It had no request in flight, all connections were taken, and its client had most of them. */
  | 'made-room'
  /** It had too many requests waiting behind one another. */
  | 'pipelined'
  /** The service stopped before its request was over. */
  | 'stopping';

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

/** What each event says, by its type. */
/** How many messages were delivered, failed, went to a recipient that has ended, or were dropped. */
export interface MessageCounts {
  /** Whether the messages were late, and so outside a round. */
  isRetry: boolean;
  delivered: number;
  failed: number;
  gone: number;
  dropped: number;
  /** The last failure, without an address. */
  reason: string | null;
}

interface Events {
  /** A line of what an operator asks first, without secrets. */
  starting: { what: 'version' | 'origins' | 'jobs' | 'store' | 'source'; value: string };
  /** Valid settings that contradict each other. */
  'settings-contradict': { text: string };
  listening: { origin: Origin; address: string };
  /** The operations server listens: metrics and health. */
  measuring: { address: string };
  /** Connections beyond the number that an origin may have, since the last such event. */
  'connections-refused': {
    origin: Origin | 'operations';
    /** All are taken, or a client has as many as one may have. */
    reason: 'full' | 'client-share';
    count: number;
  };
  /** Connections that were closed in the middle of what their clients did, since the last such event. */
  'connections-closed': { origin: Origin | 'operations'; reason: CloseReason; count: number };
  stopping: { signal: string };
  stopped: object;
  'snapshot-loaded': { anime: number; scheduled: number; changedAt: number };
  'snapshot-absent': object;
  'refresh-started': { mirror: string };
  'refresh-elsewhere': object;
  'page-read': { page: string; done: number; total: number | undefined };
  'attempt-failed': { what: string; error: unknown; retryInMs: number };
  'mirror-changed': { from: string; to: string };
  'mirror-failed': { mirror: string; error: AppError };
  'card-omitted': CardOmission;
  /** Pages are read by repaired selectors, which are new or differ from those before. */
  'selectors-repaired': { repairs: { field: string; was: string; now: string; agreement: number }[] };
  /** The written selectors match again. */
  'selectors-restored': { fields: string[] };
  'anime-missing': { from: 'the ongoing list' | 'the schedule'; slugs: string[] };
  'refresh-finished': { pages: number; anime: number; scheduled: number; changes: number; tookMs: number };
  /** Page 1 was read between two crawls, and was as before or added up. */
  'peek-finished': { changes: number; tookMs: number };
  'refresh-refused': {
    error: unknown;
    /** Whether the state of the source has changed. */
    isNews: boolean;
    /** Whether a last good snapshot exists, which stays in use. */
    hasSnapshot: boolean;
    /** When the source is asked again, ms since 1970; null without a timer. */
    nextAttempt: number | null;
  };
  /** The pages of so many anime were read. */
  'details-read': { count: number };
  'details-failed': { slug: string; error: AppError };
  /** So many covers were read and are kept. */
  'covers-read': { count: number };
  'cover-failed': { slug: string; error: AppError };
  /** Pictures cannot be decoded on this machine. */
  'covers-absent': { error: unknown };
  /** The calendar of broadcasts was read. */
  'calendar-read': { anime: number };
  /** `isNews`: whether this is the first failure in a row. */
  'calendar-failed': { error: AppError; isNews: boolean };
  'uploads-swept': { files: number; stagedUploads: number };
  'store-failed': { doing: string; error: unknown };
  'store-damaged': { aside: string; error: unknown };
  /** The store had forgotten what this process knew, and has it again. */
  'store-refilled': { events: number };
  'render-failed': { error: unknown };
  /** The clock was set forward. */
  'clock-jumped': { byMs: number };
  /** A message was delivered. `receiver` is a name without secrets, here and below. */
  'webhook-sent': { receiver: string; message: string };
  /** `isNews`: whether this is the first failure in a row. */
  'webhook-failed': { receiver: string; reason: string; retryInMs: number; isNews: boolean };
  'webhook-restored': { receiver: string; downMs: number };
  /** Messages were dropped: they failed for a day, or the receiver refuses them. */
  'webhook-dropped': { receiver: string; count: number; reason: string };
  /** A receiver that nobody knows gets what happens from now on. */
  'webhook-added': { receiver: string };
  /** The position of a receiver is lost: it gets the `count` messages of the last 24 hours again. */
  'webhook-position-lost': { receiver: string; count: number };
  /** The receiver answered 410, and is sent nothing more. */
  'webhook-gone': { receiver: string };
  /** Messages of Web Push. */
  'push-sent': MessageCounts;
  /** Messages in channels. */
  'channels-sent': MessageCounts;
  /** The store had lost channels, which were put back. */
  'channels-restored': { count: number };
  /** A push service does not accept this installation. `reason`: its status and its words. */
  'push-denied': { service: string; reason: string };
  /** A thread threw, ran out of memory or froze, and is restarted. */
  'thread-failed': { thread: 'crawler' | 'uploads'; error: unknown; retryInMs: number };
  /** A thread has not answered for so long, and has hardly run: it gets no processor, or waits for a system call. */
  'thread-starved': { thread: 'crawler' | 'uploads'; silentMs: number };
  /** It answers again. */
  'thread-answers': { thread: 'crawler' | 'uploads'; silentMs: number };
  /** The audit record of a stored file and its sender; `size` in bytes. The secret that deletes the file never appears. */
  'upload-received': { id: string; size: number; mediaType: string; sha256: string; address: string };
  /** An upload was refused for its bytes or for its sender's address. */
  'upload-blocked': { by: 'sha256' | 'address'; address: string; sha256?: string };
  /**
   * `note` is cleaned and cut for the log. `isStored`: false when too many reports wait for the operator. `earlier`: how
   * many stored reports the file had before.
   */
  'file-reported': { id: string; reason: ReportReason; note: string; isStored: boolean; earlier: number };
  'upload-scanned':
    | { outcome: 'clean' }
    | { outcome: 'found'; signature: string }
    /** The scanner has given up on the file, because of a limit. */
    | { outcome: 'unscannable'; limit: string }
    | { outcome: 'failed'; error: unknown };
  'request-answered': {
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
  };
  /** A dependency has begun to fail. */
  'dependency-down': { name: DependencyName; error: unknown };
  'dependency-restored': { name: DependencyName; downMs: number };
  'request-failed': { id: string; method: string; path: string; error: unknown };
}

/** Everything to log or count. Features get a `Report`, never a logger. */
export type OperationalEvent = { [Type in keyof Events]: { type: Type } & Events[Type] }[keyof Events];

/** Reports an event to the log and the metrics. It returns at once and never throws. */
export type Report = (event: OperationalEvent) => void;

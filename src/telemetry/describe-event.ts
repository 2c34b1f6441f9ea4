import { describeError, isUnreachable } from '../domain/errors.ts';
import type { CardOmission, CloseReason, OperationalEvent } from '../domain/operational-event.ts';

type EventOf<Type extends OperationalEvent['type']> = Extract<OperationalEvent, { type: Type }>;

/** A line of plain English for each event. Below, they are grouped by the level at which the log has them. */
type Texts = { [Type in OperationalEvent['type']]: (event: EventOf<Type>) => string };

const DEBUG = {
  'page-read': ({ page }) => `read ${page}`,
  'details-read': ({ count }) => `read the pages of ${count} anime`,
  'details-failed': ({ slug, error }) =>
    `the page of ${slug}: ${describeError(error)}; what is known of it stays`,
  'covers-read': ({ count }) => `keeps ${count} covers that are new or were read again`,
  'cover-failed': ({ slug, error }) =>
    `the cover of ${slug}: ${describeError(error)}; what is kept of it stays`,
  'refresh-started': ({ mirror }) => `reading ${mirror}`,
  'refresh-elsewhere': () => 'another process is refreshing; waiting for its result',
  'request-answered': ({ method, path, status, tookMs }) =>
    `${method} ${path} ${status}, ${Math.round(tookMs)} ms`,
  'webhook-sent': ({ message, receiver }) => `sent ${message} to ${receiver}`,
} satisfies Partial<Texts>;

const INFO = {
  starting: ({ what, value }) => `${what}: ${value}`,
  listening: ({ origin, address }) => `${origin} listening on ${address}`,
  measuring: ({ address }) => `metrics and health at ${address}`,
  stopping: ({ signal }) => `${signal}: finishing the requests in flight`,
  stopped: () => 'stopped',
  'snapshot-loaded': ({ anime, scheduled, changedAt }) =>
    `last good snapshot: ${anime} anime, ${scheduled} scheduled, changed ${formatTime(changedAt)}`,
  'snapshot-absent': () => 'no snapshot yet: the listing answers 503 until the first good crawl',
  'mirror-changed': ({ from, to }) =>
    `the source has moved from ${from} to ${to}, which is read first from now on`,
  'selectors-restored': ({ fields }) => `the written selectors match again: ${fields.join(', ')}`,
  'refresh-finished': ({ anime, scheduled, pages, changes, tookMs }) =>
    `refreshed: ${anime} anime, ${scheduled} scheduled, ${pages} pages, ${changes} changes, ${Math.round(tookMs)} ms`,
  'peek-finished': ({ changes, tookMs }) => `peeked at page 1: ${changes} changes, ${Math.round(tookMs)} ms`,
  'uploads-swept': ({ files, stagedUploads }) =>
    `swept ${files} expired files and ${stagedUploads} uploads that were never finished`,
  'calendar-read': ({ anime }) => `read the calendar of broadcasts: ${anime} anime`,
  'webhook-restored': ({ receiver, downMs }) =>
    `${receiver} accepts messages again, after ${formatSeconds(downMs)}`,
  'thread-answers': ({ thread, silentMs }) =>
    `the thread of the ${thread} answers again, after ${formatSeconds(silentMs)}`,
  'webhook-added': ({ receiver }) => `${receiver} is new, and gets what happens from now on`,
  'push-sent': ({ delivered, failed, reason, dropped, gone }) =>
    `sent ${delivered} push messages; ${failed} failed${reason === null ? '' : ` (${reason})`}, ${dropped} were dropped, ${gone} subscriptions have ended`,
  'channels-sent': ({ delivered, failed, reason, dropped, gone }) =>
    `sent ${delivered} messages to channels; ${failed} failed${reason === null ? '' : ` (${reason})`}, ${dropped} were dropped, ${gone} channels have ended`,
  'upload-received': ({ id, size, mediaType, address, sha256 }) =>
    `received ${id}: ${size} bytes of ${mediaType} from ${address}, SHA-256 ${sha256}`,
  'upload-blocked': ({ by, address, sha256 }) =>
    `refused an upload from ${address}${by === 'address' ? ', which is blocked' : `: its bytes are blocked (SHA-256 ${sha256})`}`,
  'connections-closed': ({ count, origin, reason }) =>
    `closed ${count} connections to the ${origin}: ${CLOSED_BECAUSE[reason]}`,
  'dependency-restored': ({ name, downMs }) => `the ${name} works again, after ${formatSeconds(downMs)}`,
} satisfies Partial<Texts>;

const CLOSED_BECAUSE: Record<CloseReason, string> = {
  'slow-sender': 'the client sent its request too slowly',
  'slow-reader': 'the client read the response too slowly',
  idle: 'there was no request',
  'made-room': 'they were idle, and all connections were taken',
  pipelined: 'too many requests were waiting behind one another',
  stopping: 'the service had to stop before the response was finished',
};

const WARN = {
  'settings-contradict': ({ text }) => text,
  'connections-refused': ({ count, origin, reason }) =>
    `refused ${count} connections to the ${origin}: ${reason === 'full' ? 'all connections are taken' : 'a client has as many as one may have'}`,
  'attempt-failed': ({ what, error, retryInMs }) =>
    `${what}: ${describeError(error)}; trying again in ${formatSeconds(retryInMs)}`,
  'mirror-failed': ({ mirror, error }) => `${mirror}: ${describeError(error)}`,
  'card-omitted': describeOmission,
  'anime-missing': ({ from, slugs: [first, ...others] }) =>
    `missing from ${from} although the source has it elsewhere: ${first}${others.length > 0 ? ` and ${others.length} more` : ''}`,
  'selectors-repaired': ({ repairs }) =>
    `the markup of the source has changed; reading it by ${repairs.map(({ field, was, now }) => `${field} ${now} in place of ${was}`).join(', ')}. npm run doctor prints the lines to change`,
  'refresh-refused': describeRefusal,
  'store-refilled': ({ events }) =>
    `the store had forgotten what this process knew; it has its listing and ${events} events again`,
  'channels-restored': ({ count }) => `the store had forgotten ${count} channels; it has them again`,
  'covers-absent': ({ error }) =>
    `covers stay those of the source: ${describeError(error)}. Run npm ci without --omit=optional, or set COVERS=off`,
  'clock-jumped': ({ byMs }) =>
    `the clock was set forward by ${formatSeconds(byMs)}; uploads are swept by the earlier time for a minute`,
  'calendar-failed': ({ error }) =>
    `cannot read the calendar of broadcasts, what was last read is used for a week: ${describeError(error)}`,
  'webhook-failed': ({ receiver, reason, retryInMs }) =>
    `${receiver} does not accept messages: ${reason}; trying again in ${formatSeconds(retryInMs)}`,
  'thread-starved': ({ thread, silentMs }) =>
    `the thread of the ${thread} has not answered for ${formatSeconds(silentMs)} and has hardly run: the machine is busy, or it waits for a disk`,
  'webhook-position-lost': ({ receiver, count }) =>
    `it is not known any more how far ${receiver} had come; sending it the ${count} messages of the last 24 hours, some perhaps again`,
  'webhook-gone': ({ receiver }) =>
    `${receiver} answered 410 and is sent nothing more; remove it from WEBHOOK_URLS, or start again to try it again`,
  'push-denied': ({ service, reason }) =>
    `${service} refuses the push messages of this installation: ${reason}; check PUSH_CONTACT and the clock`,
  'file-reported': ({ id, reason, isStored, note }) =>
    `file ${id} was reported as ${reason}${isStored ? '' : ' (not stored: too many reports wait)'}${note && `: ${note}`}`,
  'upload-scanned': describeScan,
} satisfies Partial<Texts>;

const ERROR = {
  'store-failed': ({ doing, error }) => `${doing} failed: ${describeError(error)}`,
  'store-damaged': ({ error, aside }) =>
    `the store is damaged (${describeError(error)}); it was set aside as ${aside}, and a new one is filled`,
  'render-failed': ({ error }) =>
    `the listing could not be rendered, the previous edition stays: ${describeError(error)}`,
  'webhook-dropped': ({ count, receiver, reason }) => `gave up ${count} messages to ${receiver}: ${reason}`,
  'thread-failed': ({ thread, error, retryInMs }) =>
    `the thread of the ${thread} failed: ${describeError(error)}; restarting it in ${formatSeconds(retryInMs)}`,
  'request-failed': ({ method, path, id, error }) =>
    `${method} ${path} failed (request ${id}): ${describeError(error)}`,
  'dependency-down': ({ name, error }) => `the ${name} does not work: ${describeError(error)}`,
} satisfies Partial<Texts>;

const TEXTS: Texts = { ...DEBUG, ...INFO, ...WARN, ...ERROR };

/** Describes an event in one line, for the log and for the commands that print to a terminal. */
export function describeEvent(event: OperationalEvent): string {
  // Each text is under the type of its event, which a type for all of them cannot say.
  return TEXTS[event.type](event as never);
}

/** The level at which an event is logged. */
export function levelOf(event: OperationalEvent): 'debug' | 'info' | 'warn' | 'error' {
  if (event.type in DEBUG || isRoutine(event)) return 'debug';
  if (event.type in ERROR) return 'error';
  return event.type in WARN ? 'warn' : 'info';
}

/** Whether an event of this type matters only with another outcome, or as the first of its kind. */
function isRoutine(event: OperationalEvent): boolean {
  switch (event.type) {
    case 'upload-scanned':
      return event.outcome === 'clean';
    case 'upload-blocked':
      return event.by === 'address';
    case 'push-sent':
    case 'channels-sent':
      return event.isRetry;
    case 'peek-finished':
      return event.changes === 0;
    case 'connections-closed':
      return event.reason === 'idle';
    default:
      return 'isNews' in event && !event.isNews;
  }
}

function describeRefusal({ error, hasSnapshot, nextAttempt }: EventOf<'refresh-refused'>): string {
  const problem = isUnreachable(error) ? 'could not read the source' : 'refresh refused';
  const kept = hasSnapshot ? 'keeping the last good snapshot' : 'there is no snapshot yet';
  const next = nextAttempt === null ? '' : `; the next attempt is at ${formatTime(nextAttempt)}`;
  return `${problem}, ${kept}: ${describeError(error)}${next}`;
}

function describeScan(event: EventOf<'upload-scanned'>): string {
  switch (event.outcome) {
    case 'clean':
      return 'the scanner found nothing in a file';
    case 'found':
      return `refused a file in which the scanner found ${event.signature}`;
    case 'unscannable':
      return `refused a file that the scanner could not read to its end: ${event.limit}`;
    case 'failed':
      return `a file could not be scanned, and was refused: ${describeError(event.error)}`;
  }
}

function describeOmission(event: CardOmission): string {
  const value = `${event.field} "${event.found}"`;
  const reason = event.why ? `: ${event.why}` : '';
  const problem = event.against
    ? `${value} is contradicted by ${event.against}`
    : `cannot read ${value}${reason}`;
  const outcome = event.kept ? 'its last good record is kept' : 'it is left out';
  return `${event.page}, card ${event.card}: ${problem}; ${outcome}`;
}

function formatSeconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}

/** ms since 1970 as 2026-11-22T12:00:00Z. */
function formatTime(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+/u, '');
}

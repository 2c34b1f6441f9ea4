import { describeError, isUnreachable } from '../domain/errors.ts';
import type { CardOmission, CloseReason, OperationalEvent } from '../domain/operational-event.ts';

type EventOf<Type extends OperationalEvent['type']> = Extract<OperationalEvent, { type: Type }>;

/** Describes each event in a line of plain English. The groups below are the levels of the log. */
type Texts = { [Type in OperationalEvent['type']]: (event: EventOf<Type>) => string };

const DEBUG = {
  'page-read': ({ page }) => `read ${page}`,
  'details-read': ({ count }) => `read the pages of ${count} anime`,
  'details-failed': ({ slug, error }) =>
    `the page of ${slug}: ${describeError(error)}; its last details stay`,
  'covers-read': ({ count }) => `stored ${count} covers`,
  'cover-failed': ({ slug, error }) => `the cover of ${slug}: ${describeError(error)}; its last copy stays`,
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
  'snapshot-loaded': ({ changedAt }) => `serving the last good listing, changed ${formatTime(changedAt)}`,
  'snapshot-absent': () => 'no listing yet: requests get 503 until the first good crawl',
  'mirror-changed': ({ from, to }) =>
    `the source has moved from ${from} to ${to}; reading that first from now on`,
  'selectors-restored': ({ fields }) => `the written selectors match again: ${fields.join(', ')}`,
  'refresh-finished': ({ anime, scheduled, pages, changes, tookMs }) =>
    `refreshed: ${anime} anime, ${scheduled} scheduled, ${pages} pages, ${changes} changes, ${formatSeconds(tookMs)}`,
  'peek-finished': ({ changes, tookMs }) => `read page 1: ${changes} changes, ${formatSeconds(tookMs)}`,
  'uploads-swept': ({ files, stagedUploads }) =>
    `deleted ${files} expired files and ${stagedUploads} abandoned uploads`,
  'calendar-read': ({ anime }) => `read the broadcast calendar: ${anime} anime`,
  'webhook-restored': ({ receiver, downMs }) =>
    `${receiver} accepts messages again after ${formatSeconds(downMs)}`,
  'thread-answers': ({ thread, silentMs }) =>
    `the ${thread} thread answers again after ${formatSeconds(silentMs)}`,
  'webhook-added': ({ receiver }) => `${receiver} is new and gets every event from now on`,
  'push-sent': ({ delivered, failed, reason, dropped, gone }) =>
    `sent ${delivered} push messages; ${failed} failed${reason === null ? '' : ` (${reason})`}, ${dropped} were dropped, ${gone} subscriptions ended`,
  'channels-sent': ({ delivered, failed, reason, dropped, gone }) =>
    `sent ${delivered} messages to channels; ${failed} failed${reason === null ? '' : ` (${reason})`}, ${dropped} were dropped, ${gone} channels ended`,
  'upload-received': ({ id, size, mediaType, address, sha256 }) =>
    `received ${id}: ${size} bytes of ${mediaType} from ${address}, SHA-256 ${sha256}`,
  'upload-blocked': ({ by, address, sha256 }) =>
    `refused an upload from ${address}${by === 'address' ? ', which is blocked' : `: its bytes are blocked (SHA-256 ${sha256})`}`,
  'connections-closed': ({ count, origin, reason }) =>
    `closed ${count} connections (${origin}): ${CLOSED_BECAUSE[reason]}`,
  'dependency-restored': ({ name, downMs }) => `the ${name} works again after ${formatSeconds(downMs)}`,
} satisfies Partial<Texts>;

const CLOSED_BECAUSE: Record<CloseReason, string> = {
  'slow-sender': 'the client sent its request too slowly',
  'slow-reader': 'the client read the response too slowly',
  idle: 'they were idle',
  'made-room': 'they were idle, and all connections were taken',
  pipelined: 'too many pipelined requests',
  stopping: 'the service stopped before the response was complete',
};

const WARN = {
  'settings-contradict': ({ text }) => text,
  'connections-refused': ({ count, origin, reason }) =>
    `refused ${count} connections (${origin}): ${reason === 'full' ? 'all connections are taken' : 'one client reached its limit'}`,
  'attempt-failed': ({ what, error, retryInMs }) =>
    `${locate(what, describeError(error))}; retrying in ${formatSeconds(retryInMs)}`,
  'mirror-failed': ({ mirror, error }) => describeMirror(mirror, error),
  'card-omitted': describeOmission,
  'anime-missing': ({ from, slugs: [first, ...others] }) =>
    `missing from ${from}, but listed elsewhere on the source: ${first}${others.length > 0 ? ` and ${others.length} more` : ''}`,
  'selectors-repaired': ({ repairs }) =>
    `the markup of the source has changed; now reading ${repairs.map(({ field, was, now }) => `${field} by ${now} instead of ${was}`).join(', ')}. npm run doctor prints the lines to change`,
  'refresh-refused': describeRefusal,
  'store-refilled': ({ events }) =>
    `the store lost data; restored the listing and ${events} events from this process`,
  'channels-restored': ({ count }) => `the store lost ${count} channels; restored them from this process`,
  'covers-absent': ({ error }) =>
    `showing the covers of the source: ${describeError(error)}. Run npm ci without --omit=optional, or set COVERS=off`,
  'clock-jumped': ({ byMs }) =>
    `the clock was set forward by ${formatSeconds(byMs)}; for a minute, uploads still expire by the earlier time`,
  'calendar-failed': ({ error }) =>
    `cannot read the broadcast calendar; using the last one for up to a week: ${describeError(error)}`,
  'webhook-failed': ({ receiver, reason, retryInMs }) =>
    `${receiver} does not accept messages: ${reason}; retrying in ${formatSeconds(retryInMs)}`,
  'thread-starved': ({ thread, silentMs }) =>
    `the ${thread} thread has not answered for ${formatSeconds(silentMs)} and has hardly run: the machine is busy, or it is waiting for a disk`,
  'webhook-position-lost': ({ receiver, count }) =>
    `lost the position of ${receiver}; sending the ${count} messages of the last 24 hours, some perhaps twice`,
  'webhook-gone': ({ receiver }) =>
    `${receiver} answered 410 and gets nothing more; remove it from WEBHOOK_URLS, or restart to try again`,
  'push-denied': ({ service, reason }) =>
    `${service} refuses push messages from this installation: ${reason}; check PUSH_CONTACT and the clock`,
  'file-reported': ({ id, reason, isStored, note }) =>
    `file ${id} was reported as ${reason}${isStored ? '' : ' (not stored: too many open reports)'}${note && `: ${note}`}`,
  'upload-scanned': describeScan,
} satisfies Partial<Texts>;

const ERROR = {
  'store-failed': ({ doing, error }) => `${doing} failed: ${describeError(error)}`,
  'store-damaged': ({ error, aside }) =>
    `the store is damaged (${describeError(error)}); moved it to ${aside} and started a new one`,
  'render-failed': ({ error }) =>
    `cannot render the listing; still serving the previous edition: ${describeError(error)}`,
  'webhook-dropped': ({ count, receiver, reason }) => `dropped ${count} messages to ${receiver}: ${reason}`,
  'thread-failed': ({ thread, error, retryInMs }) =>
    `the ${thread} thread failed: ${describeError(error)}; restarting it in ${formatSeconds(retryInMs)}`,
  'request-failed': ({ method, path, id, error }) =>
    `${method} ${path} failed (request ${id}): ${describeError(error)}`,
  'dependency-down': ({ name, error }) => `the ${name} is down: ${describeError(error)}`,
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
  const problem = isUnreachable(error) ? '' : 'refused the refresh: ';
  const kept = hasSnapshot ? 'still serving the last good listing' : 'there is no listing yet';
  const next = nextAttempt === null ? '' : `; next attempt at ${formatTime(nextAttempt)}`;
  return `${problem}${describeError(error)}; ${kept}${next}`;
}

function describeScan(event: EventOf<'upload-scanned'>): string {
  switch (event.outcome) {
    case 'clean':
      return 'scanned a file: clean';
    case 'found':
      return `refused a file: the scanner found ${event.signature}`;
    case 'unscannable':
      return `refused a file: the scanner could not read all of it (${event.limit})`;
    case 'failed':
      return `refused a file: the scanner failed (${describeError(event.error)})`;
  }
}

function describeOmission(event: CardOmission): string {
  const value = `${event.field} "${event.found}"`;
  const reason = event.why ? `: ${event.why}` : '';
  const problem = event.against ? `${value} contradicts ${event.against}` : `cannot read ${value}${reason}`;
  const outcome = event.kept ? 'its last good record stays' : 'left out';
  return `${event.page}, card ${event.card}: ${problem}; ${outcome}`;
}

/** Adds the path that was asked for, unless the reason names it. The reason has the host. */
function locate(url: string, reason: string): string {
  const path = url.replace(/^https?:\/\/[^/]+/u, '');
  return reason.includes(path) ? reason : `${path}: ${reason}`;
}

/** Describes the failure of a mirror, whose host the reason may already name. */
export function describeMirror(mirror: string, error: unknown): string {
  const reason = describeError(error);
  const host = mirror.replace(/^https?:\/\//u, '');
  return reason.includes(host) ? reason : `${mirror}: ${reason}`;
}

function formatSeconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}

/** ms since 1970 as 2026-11-22T12:00:00Z. */
function formatTime(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+/u, '');
}

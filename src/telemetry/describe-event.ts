import { describeError, isUnreachable } from '../domain/errors.ts';
import type { CardOmission, OperationalEvent } from '../domain/operational-event.ts';

/** Describes an event in one line of plain English, for the log and for the commands that print to a terminal. */
export function describeEvent(event: OperationalEvent): string {
  switch (event.type) {
    case 'starting':
      return `${event.what}: ${event.value}`;
    case 'listening':
      return `${event.origin} listening on ${event.address}`;
    case 'measuring':
      return `metrics and health at ${event.address}`;
    case 'connections-refused':
      return `refused ${event.count} connections to the ${event.origin}: the limit of open connections is reached`;
    case 'stopping':
      return `${event.signal}: finishing the requests in flight`;
    case 'stopped':
      return 'stopped';
    case 'snapshot-loaded':
      return `last good snapshot: ${event.anime} anime, ${event.scheduled} scheduled, changed ${formatTime(event.changedAt)}`;
    case 'snapshot-absent':
      return 'no snapshot yet: the listing answers 503 until the first good crawl';
    case 'refresh-started':
      return `reading ${event.mirror}`;
    case 'refresh-elsewhere':
      return 'another process is refreshing; waiting for its result';
    case 'page-read':
      return `read ${event.page}`;
    case 'attempt-failed':
      return `${event.what}: ${describeError(event.error)}; trying again in ${formatSeconds(event.retryInMs)}`;
    case 'mirror-failed':
      return `${event.mirror}: ${describeError(event.error)}`;
    case 'mirror-changed':
      return `the source has moved from ${event.from} to ${event.to}, which is read first from now on`;
    case 'card-omitted':
      return describeOmission(event);
    case 'anime-missing': {
      const [first, ...others] = event.slugs;
      const more = others.length > 0 ? ` and ${others.length} more` : '';
      return `missing from ${event.from} although the source has it elsewhere: ${first}${more}`;
    }
    case 'selectors-repaired':
      return `the markup of the source has changed; reading it by ${event.repairs.map(({ field, was, now }) => `${field} ${now} in place of ${was}`).join(', ')}. npm run doctor prints the lines to change`;
    case 'selectors-restored':
      return `the written selectors match again: ${event.fields.join(', ')}`;
    case 'refresh-finished':
      return `refreshed: ${event.anime} anime, ${event.scheduled} scheduled, ${event.pages} pages, ${event.changes} changes, ${Math.round(event.tookMs)} ms`;
    case 'peek-finished':
      return `peeked at page 1: ${event.changes} changes, ${Math.round(event.tookMs)} ms`;
    case 'details-read':
      return `read the pages of ${event.count} anime`;
    case 'details-failed':
      return `the page of ${event.slug}: ${describeError(event.error)}; what is known of it stays`;
    case 'refresh-refused':
      return describeRefusal(event);
    case 'uploads-swept':
      return `swept ${event.files} expired files and ${event.stagedUploads} uploads that were never finished`;
    case 'store-failed':
      return `${event.doing} failed: ${describeError(event.error)}`;
    case 'store-damaged':
      return `the store is damaged (${describeError(event.error)}); it was set aside as ${event.aside}, and a new one is filled`;
    case 'calendar-read':
      return `read the calendar of broadcasts: ${event.broadcasts} broadcasts`;
    case 'calendar-failed':
      return `cannot read the calendar of broadcasts, what was last read is used for a week: ${describeError(event.error)}`;
    case 'store-refilled':
      return `the store had forgotten what this process knew; it has its listing and ${event.events} events again`;
    case 'render-failed':
      return `the listing could not be rendered, the previous edition stays: ${describeError(event.error)}`;
    case 'clock-jumped':
      return `the clock was set forward by ${formatSeconds(event.byMs)}; uploads are swept by the earlier time for a minute`;
    case 'webhook-sent':
      return `sent ${event.message} to ${event.receiver}`;
    case 'webhook-failed':
      return `${event.receiver} does not accept messages: ${event.reason}; trying again in ${formatSeconds(event.retryInMs)}`;
    case 'webhook-restored':
      return `${event.receiver} accepts messages again, after ${formatSeconds(event.downMs)}`;
    case 'webhook-dropped':
      return `gave up ${event.count} messages to ${event.receiver}: ${event.reason}`;
    case 'webhook-gone':
      return `${event.receiver} answered 410 and is sent nothing more; remove it from WEBHOOK_URLS, or start again to try it again`;
    case 'push-sent':
      return `sent ${event.delivered} push messages; ${event.failed} failed${event.reason === null ? '' : ` (${event.reason})`}, ${event.dropped} were dropped, ${event.gone} subscriptions have ended`;
    case 'thread-failed':
      return `the thread of the ${event.thread} failed: ${describeError(event.error)}; restarting it in ${formatSeconds(event.retryInMs)}`;
    case 'upload-received':
      return `received ${event.id}: ${event.size} bytes of ${event.mediaType} from ${event.address}, SHA-256 ${event.sha256}`;
    case 'upload-blocked':
      return event.by === 'address'
        ? `refused an upload from ${event.address}, which is blocked`
        : `refused an upload from ${event.address}: its bytes are blocked (SHA-256 ${event.sha256})`;
    case 'file-reported':
      return `file ${event.id} was reported as ${event.reason}${event.isStored ? '' : ' (not stored: too many reports wait)'}${event.note && `: ${event.note}`}`;
    case 'upload-scanned':
      return describeScan(event);
    case 'request-answered':
      return `${event.method} ${event.path} ${event.status}, ${Math.round(event.tookMs)} ms`;
    case 'request-failed':
      return `${event.method} ${event.path} failed (request ${event.id}): ${describeError(event.error)}`;
    case 'dependency-down':
      return `the ${event.name} does not work: ${describeError(event.error)}`;
    case 'dependency-restored':
      return `the ${event.name} works again, after ${formatSeconds(event.downMs)}`;
  }
}

/** The level at which an event is logged. */
export function levelOf(event: OperationalEvent): 'debug' | 'info' | 'warn' | 'error' {
  switch (event.type) {
    case 'page-read':
    case 'details-read':
    case 'details-failed':
    case 'refresh-started':
    case 'refresh-elsewhere':
    case 'request-answered':
    case 'webhook-sent':
      return 'debug';
    case 'file-reported':
    case 'connections-refused':
    case 'attempt-failed':
    case 'mirror-failed':
    case 'card-omitted':
    case 'anime-missing':
    case 'store-refilled':
    case 'selectors-repaired':
    case 'clock-jumped':
    case 'webhook-gone':
      return 'warn';
    case 'upload-scanned':
      return event.outcome === 'clean' ? 'debug' : 'warn';
    case 'upload-blocked':
      return event.by === 'sha256' ? 'info' : 'debug';
    case 'push-sent':
      return event.isRetry ? 'debug' : 'info';
    case 'peek-finished':
      return event.changes > 0 ? 'info' : 'debug';
    case 'webhook-failed':
    case 'calendar-failed':
    case 'refresh-refused':
      return event.isNews ? 'warn' : 'debug';
    case 'dependency-down':
    case 'store-failed':
    case 'store-damaged':
    case 'render-failed':
    case 'thread-failed':
    case 'request-failed':
    case 'webhook-dropped':
      return 'error';
    default:
      return 'info';
  }
}

function describeRefusal({
  error,
  hasSnapshot,
  nextAttempt,
}: Extract<OperationalEvent, { type: 'refresh-refused' }>): string {
  const problem = isUnreachable(error) ? 'could not read the source' : 'refresh refused';
  const kept = hasSnapshot ? 'keeping the last good snapshot' : 'there is no snapshot yet';
  const next = nextAttempt === null ? '' : `; the next attempt is at ${formatTime(nextAttempt)}`;
  return `${problem}, ${kept}: ${describeError(error)}${next}`;
}

function describeScan(event: Extract<OperationalEvent, { type: 'upload-scanned' }>): string {
  switch (event.outcome) {
    case 'clean':
      return 'the scanner found nothing in a file';
    case 'found':
      return `refused a file in which the scanner found ${event.signature}`;
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

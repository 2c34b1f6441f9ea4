import { describeError } from '../domain/errors.ts';
import type { OperationalEvent } from '../domain/operational-event.ts';

/** A event in words. The commands that talk to people print the same ones. */
export function describe(event: OperationalEvent): string {
  switch (event.type) {
    case 'listening':
      return `${event.origin} listening on ${event.address}`;
    case 'measuring':
      return `metrics and health at ${event.address}`;
    case 'connections-not-migrated':
      return 'REUSE_PORT is on and net.ipv4.tcp_migrate_req is 0: a restart can lose connections that are just being made';
    case 'stopping':
      return `${event.signal}: finishing what is in flight`;
    case 'stopped':
      return 'stopped';
    case 'snapshot-loaded':
      return `last good snapshot: ${event.anime} anime, ${event.scheduled} scheduled, changed ${new Date(event.changedAt).toISOString()}`;
    case 'snapshot-absent':
      return 'no snapshot yet: the listing answers 503 until the first good crawl';
    case 'refresh-started':
      return `reading ${event.mirror}`;
    case 'refresh-elsewhere':
      return 'another process is refreshing; waiting for its result';
    case 'page-read':
      return `read ${event.page}`;
    case 'attempt-failed':
      return `${event.what}: ${describeError(event.error)}; trying again in ${event.retryInMs} ms`;
    case 'mirror-failed':
      return `${event.mirror}: ${describeError(event.error)}`;
    case 'mirror-changed':
      return `the source was at ${event.from} and is now at ${event.to}, which goes first from now on`;
    case 'card-omitted': {
      const fate = event.kept ? 'its last good record is kept' : 'it is left out';
      const why = event.why ? `: ${event.why}` : '';
      const value = `${event.field} "${event.found}"`;
      const trouble = event.against
        ? `${value} is contradicted by ${event.against}`
        : `cannot read ${value}${why}`;
      return `${event.page}, card ${event.card}: ${trouble}; ${fate}`;
    }
    case 'anime-missing': {
      const [first, ...others] = event.slugs;
      return `missing from ${event.from} although the source has it elsewhere: ${first}${others.length > 0 ? ` and ${others.length} more` : ''}`;
    }
    case 'refresh-finished':
      return `refreshed: ${event.anime} anime, ${event.scheduled} scheduled, ${event.pages} pages, ${event.changes} changes, ${Math.round(event.tookMs)} ms`;
    case 'refresh-refused':
      return `refresh refused, ${event.hasSnapshot ? 'the last good snapshot stands' : 'there is no snapshot yet'}: ${describeError(event.error)}`;
    case 'uploads-swept':
      return `swept ${event.files} expired files and ${event.stagedUploads} staged uploads that a crash left`;
    case 'store-failed':
      return `${event.doing} failed: ${describeError(event.error)}`;
    case 'store-damaged':
      return `the store is damaged (${describeError(event.error)}); it was set aside as ${event.aside}, and the next crawl fills a new one`;
    case 'render-failed':
      return `what is stored could not be rendered, readers keep what they have: ${describeError(event.error)}`;
    case 'clock-jumped':
      return `the clock was set ${event.byMs < 0 ? 'back' : 'forward'} by ${inSeconds(Math.abs(event.byMs))}; uploads are swept by the earlier time until it has stayed so for a minute`;
    case 'day-failed':
      return `what a new day makes different could not be rendered: ${describeError(event.error)}`;
    case 'thread-failed':
      return `the thread of the ${event.thread} failed: ${describeError(event.error)}; it is started again in ${event.retryInMs} ms`;
    case 'upload-received':
      return `received a file of ${event.bytes} bytes`;
    case 'limiter-refused':
      return `an address is over its limit (${event.limit})`;
    case 'request-answered':
      return `${event.method} ${event.path} ${event.status}, ${Math.round(event.tookMs)} ms`;
    case 'store-restored':
      return `the store answers again, after ${inSeconds(event.downMs)}`;
    case 'storage-restored':
      return `the upload storage answers again, after ${inSeconds(event.downMs)}`;
    case 'limiter-degraded':
      return `the limiter does not answer, each process limits by itself meanwhile: ${describeError(event.error)}`;
    case 'limiter-restored':
      return `the limiter answers again, after ${inSeconds(event.downMs)}`;
    case 'request-failed':
      return `${event.method} ${event.path} failed: ${describeError(event.error)}`;
  }
}

const inSeconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;

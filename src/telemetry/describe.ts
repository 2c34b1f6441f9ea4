import { describeError } from '../domain/errors.ts';
import type { Happening } from '../domain/report.ts';

/** A happening in words. The commands that talk to people print the same ones. */
export function describe(happening: Happening): string {
  switch (happening.type) {
    case 'listening':
      return `${happening.origin} listening on ${happening.address}`;
    case 'measuring':
      return `metrics and health at ${happening.address}`;
    case 'connections-not-migrated':
      return 'REUSE_PORT is on and net.ipv4.tcp_migrate_req is 0: a restart can lose connections that are just being made';
    case 'stopping':
      return `${happening.signal}: finishing what is in flight`;
    case 'stopped':
      return 'stopped';
    case 'snapshot-loaded':
      return `last good snapshot: ${happening.anime} anime, ${happening.scheduled} scheduled, changed ${new Date(happening.changedAt).toISOString()}`;
    case 'snapshot-absent':
      return 'no snapshot yet: the listing answers 503 until the first good crawl';
    case 'refresh-started':
      return `reading ${happening.mirror}`;
    case 'refresh-elsewhere':
      return 'another process is refreshing; waiting for its result';
    case 'page-read':
      return `read ${happening.page}`;
    case 'attempt-failed':
      return `${happening.what}: ${describeError(happening.error)}; trying again in ${happening.retryInMs} ms`;
    case 'mirror-failed':
      return `${happening.mirror}: ${describeError(happening.error)}`;
    case 'mirror-changed':
      return `the source was at ${happening.from} and is now at ${happening.to}, which goes first from now on`;
    case 'card-omitted': {
      const fate = happening.kept ? 'its last good record is kept' : 'it is left out';
      const why = happening.why ? `: ${happening.why}` : '';
      const value = `${happening.field} "${happening.found}"`;
      const trouble = happening.against
        ? `${value} is contradicted by ${happening.against}`
        : `cannot read ${value}${why}`;
      return `${happening.page}, card ${happening.card}: ${trouble}; ${fate}`;
    }
    case 'anime-missing': {
      const [first, ...others] = happening.slugs;
      return `missing from ${happening.from} although the source has it elsewhere: ${first}${others.length > 0 ? ` and ${others.length} more` : ''}`;
    }
    case 'refresh-finished':
      return `refreshed: ${happening.anime} anime, ${happening.scheduled} scheduled, ${happening.pages} pages, ${happening.changes} changes, ${Math.round(happening.tookMs)} ms`;
    case 'refresh-refused':
      return `refresh refused, ${happening.hasSnapshot ? 'the last good snapshot stands' : 'there is no snapshot yet'}: ${describeError(happening.error)}`;
    case 'uploads-swept':
      return `swept ${happening.files} expired files and ${happening.drafts} drafts that a crash left`;
    case 'store-failed':
      return `${happening.doing} failed: ${describeError(happening.error)}`;
    case 'store-damaged':
      return `the store is damaged (${describeError(happening.error)}); it was set aside as ${happening.aside}, and the next crawl fills a new one`;
    case 'render-failed':
      return `what is stored could not be rendered, readers keep what they have: ${describeError(happening.error)}`;
    case 'clock-jumped':
      return `the clock was set ${happening.byMs < 0 ? 'back' : 'forward'} by ${inSeconds(Math.abs(happening.byMs))}; uploads are swept by the earlier time until it has stayed so for a minute`;
    case 'day-failed':
      return `what a new day makes different could not be rendered: ${describeError(happening.error)}`;
    case 'thread-failed':
      return `the thread of the ${happening.thread} failed: ${describeError(happening.error)}; it is started again in ${happening.retryInMs} ms`;
    case 'upload-received':
      return `received a file of ${happening.bytes} bytes`;
    case 'limiter-refused':
      return `an address is over its limit (${happening.limit})`;
    case 'request-answered':
      return `${happening.method} ${happening.path} ${happening.status}, ${Math.round(happening.tookMs)} ms`;
    case 'store-restored':
      return `the store answers again, after ${inSeconds(happening.downMs)}`;
    case 'storage-restored':
      return `the upload storage answers again, after ${inSeconds(happening.downMs)}`;
    case 'limiter-degraded':
      return `the limiter does not answer, each process limits by itself meanwhile: ${describeError(happening.error)}`;
    case 'limiter-restored':
      return `the limiter answers again, after ${inSeconds(happening.downMs)}`;
    case 'request-failed':
      return `${happening.method} ${happening.path} failed: ${describeError(happening.error)}`;
  }
}

const inSeconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;

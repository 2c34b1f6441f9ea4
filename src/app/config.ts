import path from 'node:path';
import type { Shutdown } from '../http/server.ts';
import { parseReceivers } from '../outbox/webhooks/receiver-address.ts';
import { parseSecret } from '../outbox/webhooks/standard-webhook.ts';
import { STORE_DRIVERS } from '../store/drivers.ts';
import { LIMITER_DRIVERS } from '../uploads/limiters/drivers.ts';
import { SCANNER_DRIVERS } from '../uploads/scanners/drivers.ts';
import { STORAGE_DRIVERS } from '../uploads/storage/drivers.ts';
import { createEnvironmentReader } from './environment-reader.ts';
import * as parse from './parse-settings.ts';

/** Up to ten years, enough for the links of an archive. */
const LIFE = '3650d';
/** The memory of the limiter is sized for this rate. */
const MAX_RATE_LIMIT = 10_000;

export type Config = ReturnType<typeof readConfig>;

/** Reads the configuration from the environment. Throws ConfigError with every problem at once. */
export function readConfig(environment: NodeJS.ProcessEnv, version: string) {
  const { read, readSecret, readPublic, forbid, forbidSame, finish } = createEnvironmentReader(environment);
  const dataDir = path.resolve(read('DATA_DIR', './data', parse.text));
  const storageUrl = read(
    'UPLOAD_STORAGE_URL',
    `file:${path.join(dataDir, 'uploads')}`,
    parse.driverUrl(STORAGE_DRIVERS),
  );
  const allowsPrivate = read('WEBHOOK_PRIVATE', 'off', parse.oneOf('off', 'on')) === 'on';
  const config = {
    version,
    host: read('HOST', '127.0.0.1', parse.text),
    port: read('PORT', '3000', parse.port),
    /** The listening sockets that a supervisor has passed on, in place of the ports. */
    sockets: readSockets(environment, process.pid, forbid),
    /** Null for the default, which carries the port that was really bound. */
    baseUrl: read('BASE_URL', '', parse.optional(parse.origin)),
    /** The address for reports of security problems; null for none. */
    contact: readPublic('CONTACT', parse.optional(parse.contact)),
    source: {
      urls: read('SOURCE_URLS', 'https://otakudesu.blog', parse.origins),
      delayMs: read('SOURCE_DELAY', '500ms', parse.durationFrom('0')),
      timeoutMs: read('SOURCE_TIMEOUT', '15s', parse.durationFrom('1ms')),
      proxy: read('SOURCE_PROXY', '', parse.optional(parse.url)) ?? undefined,
      userAgent: read('SOURCE_USER_AGENT', `Tayang/${version}`, parse.header),
    },
    /** Which services this process runs. */
    serves: read('SERVE', 'listing,uploads,refresh', parse.services),
    /** Null where this process does not crawl on a schedule. */
    refreshCron: read('REFRESH_CRON', '0 * * * *', parse.orOff(parse.cron)),
    /** The time between two peeks at page 1, ms; null for none. */
    peekMs: read('REFRESH_PEEK', '3m', parse.orOff(parse.durationFrom('1s', '1d'))),
    /** Whether the pages of single anime are read. */
    readsDetails: read('REFRESH_DETAILS', 'on', parse.oneOf('on', 'off')) === 'on',
    /** Where a calendar of broadcasts is read; null for none. */
    broadcastsUrl: read('BROADCASTS_URL', '', parse.optional(parse.broadcastsUrl)),
    webhooks: {
      receivers: readSecret('WEBHOOK_URLS', (value) => parseReceivers(value, allowsPrivate)),
      /** Null for messages without a signature. */
      secret: readSecret('WEBHOOK_SECRET', parse.optional(parseSecret)),
      /** Whether receivers may have private addresses. */
      allowsPrivate,
    },
    /** The operator's address for push services, which switches Web Push on; null for none. */
    pushContact: readPublic('PUSH_CONTACT', parse.optional(parse.publicContact)),
    /** How the servers stop. */
    shutdown: {
      delayMs: read('SHUTDOWN_DELAY', '0s', parse.durationFrom('0')),
      idleMs: 2_000,
      graceMs: 30_000,
    } satisfies Shutdown,
    timeZone: read('TIME_ZONE', 'Asia/Jakarta', parse.timeZone),
    dataDir,
    cacheUrl: read(
      'CACHE_URL',
      `sqlite:${path.join(dataDir, 'cache.sqlite')}`,
      parse.driverUrl(STORE_DRIVERS),
    ),
    upload: {
      port: read('UPLOAD_PORT', '3001', parse.port),
      url: read('UPLOAD_URL', '', parse.optional(parse.origin)),
      storageUrl,
      maxBytes: read('UPLOAD_MAX_SIZE', '100 MB', parse.size),
      quotaBytes: read('UPLOAD_QUOTA', '10 GB', parse.size),
      ownerBytes: read('UPLOAD_ADDRESS_QUOTA', '1 GB', parse.size),
      ttlMs: read('UPLOAD_TTL', '24h', parse.durationFrom('1ms', LIFE)),
      /** How long an upload that is not complete may be continued. */
      resumeTtlMs: read('UPLOAD_RESUME_TTL', '6h', parse.durationFrom('1ms', LIFE)),
      rateLimit: read('UPLOAD_RATE_LIMIT', '40', parse.countUpTo(MAX_RATE_LIMIT)),
      rateWindowMs: read('UPLOAD_RATE_WINDOW', '60s', parse.durationFrom('1ms')),
      concurrency: read('UPLOAD_CONCURRENCY', '32', parse.countUpTo(10_000)),
      limiterUrl: read('UPLOAD_LIMITER_URL', 'memory:', parse.driverUrl(LIMITER_DRIVERS)),
      /** Null where files are not checked for malware. */
      scannerUrl: read('UPLOAD_SCANNER_URL', '', parse.optional(parse.driverUrl(SCANNER_DRIVERS))),
      /** Whether large files are sent by the object store. */
      offloads: read('UPLOAD_OFFLOAD', '', parse.offloadFrom(storageUrl)),
      /** How much of one file may be sent in an hour, in bytes; null for any amount. */
      fileTrafficBytes: read('UPLOAD_FILE_TRAFFIC', '', parse.optional(parse.size)),
      trustProxy: read('TRUST_PROXY', '0', parse.trustProxy),
    },
    /** Null where nothing is measured. */
    metricsPort: read('METRICS_PORT', 'off', parse.orOff(parse.port)),
    /** The loopback address by default, whatever `host` is, because metrics are for the operator alone. */
    metricsHost: read('METRICS_HOST', '127.0.0.1', parse.text),
    logLevel: read(
      'LOG_LEVEL',
      'info',
      parse.oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
    ),
  };
  forbidSame('UPLOAD_PORT', 'PORT', "a stranger's file needs an origin of its own");
  forbidSame('METRICS_PORT', 'PORT', 'metrics are for the operator alone');
  forbidSame('METRICS_PORT', 'UPLOAD_PORT', 'metrics are for the operator alone');
  forbidSame('UPLOAD_URL', 'BASE_URL', "a stranger's file needs an origin of its own");
  finish();
  return Object.freeze(config);
}

/** The descriptor of the first socket that systemd passes on. */
const FIRST_SOCKET = 3;

/**
 * The descriptors of systemd's socket activation (sd_listen_fds). The variables are meant for one process, not for its children.
 */
function readSockets(
  { LISTEN_PID, LISTEN_FDS, LISTEN_FDNAMES = '' }: NodeJS.ProcessEnv,
  pid: number,
  forbid: (isWrong: boolean, problem: string) => void,
): { listing?: number; uploads?: number } {
  if (Number(LISTEN_PID) !== pid) return {};
  const names = LISTEN_FDNAMES.split(':');
  const areKnown =
    names.length === Number(LISTEN_FDS) && names.every((name) => /^(?:listing|uploads)$/u.test(name));
  forbid(
    !areKnown,
    'LISTEN_FDNAMES must be listing, uploads, or both (FileDescriptorName= of the socket unit)',
  );
  return Object.fromEntries(names.map((name, index) => [name, FIRST_SOCKET + index]));
}

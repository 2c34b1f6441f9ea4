import path from 'node:path';
import { STORE_DRIVERS } from '../crawler/stores/drivers.ts';
import { schemeOf } from '../domain/setting-url.ts';
import { DAY_MS } from '../domain/units.ts';
import type { Shutdown } from '../http/server.ts';
import { parseReceivers } from '../outbox/webhooks/receiver-address.ts';
import { parseSecret } from '../outbox/webhooks/standard-webhook.ts';
import { LIMITER_DRIVERS } from '../uploads/limiters/drivers.ts';
import { STORAGE_DRIVERS } from '../uploads/storage/drivers.ts';
import { createEnvironmentReader } from './environment-reader.ts';
import {
  parseBroadcastsUrl,
  parseContact,
  parseCron,
  parseDriverUrl,
  parseOffload,
  parsePeek,
  parseScannerUrl,
  parseServices,
  parseTimeZone,
  parseTraffic,
  parseTrustProxy,
} from './parse-settings.ts';

/** Ten years, enough for the links of an archive. */
const MAX_TTL_MS = 3_650 * DAY_MS;
/** The memory of the limiter is sized for this rate. */
const MAX_RATE_LIMIT = 10_000;
const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

export type Config = ReturnType<typeof readConfig>;

/** Reads the configuration from the environment. Throws ConfigError with every problem at once. */
export function readConfig(environment: NodeJS.ProcessEnv, version: string) {
  const read = createEnvironmentReader(environment);
  const dataDir = path.resolve(read.text('DATA_DIR', './data'));
  const port = read.port('PORT', 3000);
  const allowsPrivate = read.oneOf('WEBHOOK_PRIVATE', ['off', 'on'], 'off') === 'on';
  const config = {
    version,
    host: read.text('HOST', '127.0.0.1'),
    port,
    /** The listening sockets that a supervisor has passed on, in place of the ports. */
    sockets: Object.freeze(readSockets(environment, process.pid, read.forbid)),
    /** Null for the default, which carries the port that was really bound. */
    baseUrl: read.origin('BASE_URL'),
    /** The address for reports of security problems; null for none. */
    contact: read.checked('CONTACT', '', parseContact),
    source: Object.freeze({
      urls: read.origins('SOURCE_URLS', 'https://otakudesu.blog'),
      delayMs: read.duration('SOURCE_DELAY', '500ms'),
      timeoutMs: read.duration('SOURCE_TIMEOUT', '15s', { min: 1 }),
      proxy: read.proxy('SOURCE_PROXY'),
      userAgent: read.header('SOURCE_USER_AGENT', `Tayang/${version}`),
    }),
    /** Which services this process runs. */
    serves: read.checked('SERVE', 'listing,uploads,refresh', parseServices),
    /** Null where this process does not crawl on a schedule. */
    refreshCron: read.checked('REFRESH_CRON', '0 * * * *', parseCron),
    /** The time between two peeks at page 1, ms; null for none. */
    peekMs: read.checked('REFRESH_PEEK', '3m', parsePeek),
    /** Whether the pages of single anime are read. */
    readsDetails: read.oneOf('REFRESH_DETAILS', ['on', 'off'], 'on') === 'on',
    /** Where a calendar of broadcasts is read; null for none. */
    broadcastsUrl: read.checked('BROADCASTS_URL', '', parseBroadcastsUrl),
    webhooks: Object.freeze({
      receivers: read.secret('WEBHOOK_URLS', (value) => parseReceivers(value, allowsPrivate)),
      /** Null for messages without a signature. */
      secret: read.secret('WEBHOOK_SECRET', (value) => (value ? parseSecret(value) : null)),
      /** Whether receivers may have private addresses. */
      allowsPrivate,
    }),
    /** The operator's address for push services, which switches Web Push on; null for none. */
    pushContact: read.checked('PUSH_CONTACT', '', parseContact),
    /** How the servers stop. */
    shutdown: Object.freeze<Shutdown>({
      delayMs: read.duration('SHUTDOWN_DELAY', '0s'),
      idleMs: 2_000,
      graceMs: 30_000,
    }),
    timeZone: read.checked('TIME_ZONE', 'Asia/Jakarta', parseTimeZone),
    dataDir,
    cacheUrl: read.checked('CACHE_URL', `sqlite:${path.join(dataDir, 'cache.sqlite')}`, (value) =>
      parseDriverUrl(value, STORE_DRIVERS),
    ),
    upload: Object.freeze({
      port: read.port('UPLOAD_PORT', 3001),
      url: read.origin('UPLOAD_URL'),
      storageUrl: read.checked('UPLOAD_STORAGE_URL', `file:${path.join(dataDir, 'uploads')}`, (value) =>
        parseDriverUrl(value, STORAGE_DRIVERS),
      ),
      maxBytes: read.size('UPLOAD_MAX_SIZE', '100 MB'),
      quotaBytes: read.size('UPLOAD_QUOTA', '10 GB'),
      ownerBytes: read.size('UPLOAD_ADDRESS_QUOTA', '1 GB'),
      ttlMs: read.duration('UPLOAD_TTL', '24h', { min: 1, max: MAX_TTL_MS }),
      /** How long an upload that is not complete may be continued. */
      resumeTtlMs: read.duration('UPLOAD_RESUME_TTL', '6h', { min: 1, max: MAX_TTL_MS }),
      rateLimit: read.count('UPLOAD_RATE_LIMIT', 40, MAX_RATE_LIMIT),
      rateWindowMs: read.duration('UPLOAD_RATE_WINDOW', '60s', { min: 1 }),
      concurrency: read.count('UPLOAD_CONCURRENCY', 32, 10_000),
      limiterUrl: read.checked('UPLOAD_LIMITER_URL', 'memory:', (value) =>
        parseDriverUrl(value, LIMITER_DRIVERS),
      ),
      /** Null where files are not checked for malware. */
      scannerUrl: read.checked('UPLOAD_SCANNER_URL', '', parseScannerUrl),
      /** Whether large files are sent by the object store. */
      offloads: read.checked('UPLOAD_OFFLOAD', '', parseOffload),
      /** How much of one file may be sent in an hour, in bytes; null for any amount. */
      fileTrafficBytes: read.checked('UPLOAD_FILE_TRAFFIC', '', parseTraffic),
      trustProxy: read.checked('TRUST_PROXY', '0', parseTrustProxy),
    }),
    /** Null where nothing is measured. */
    metricsPort: read.portOrOff('METRICS_PORT'),
    /** The loopback address by default, whatever `host` is, because metrics are for the operator alone. */
    metricsHost: read.text('METRICS_HOST', '127.0.0.1'),
    logLevel: read.oneOf('LOG_LEVEL', LOG_LEVELS, 'info'),
  };
  const { upload, baseUrl, metricsPort } = config;
  read.forbid(
    port !== 0 && port === upload.port,
    "UPLOAD_PORT must be another port than PORT: a stranger's file needs an origin of its own",
  );
  read.forbid(
    [port, upload.port].some((other) => other !== 0 && other === metricsPort),
    'METRICS_PORT must be another port than PORT and UPLOAD_PORT: metrics are for the operator alone',
  );
  read.forbid(
    upload.offloads && schemeOf(upload.storageUrl) !== 's3:',
    'UPLOAD_OFFLOAD must be empty unless UPLOAD_STORAGE_URL is s3://…: files on a disk are sent by this service',
  );
  read.forbid(baseUrl !== null && baseUrl === upload.url, 'UPLOAD_URL must be another origin than BASE_URL');
  read.finish();
  return Object.freeze(config);
}

/** The descriptor of the first socket that systemd passes on. */
const FIRST_SOCKET = 3;

/** File descriptors of listening sockets. */
interface Sockets {
  listing?: number;
  uploads?: number;
}

/** Reads systemd's socket activation (sd_listen_fds). The variables are meant for one process, not for its children. */
function readSockets(
  { LISTEN_PID, LISTEN_FDS, LISTEN_FDNAMES = '' }: NodeJS.ProcessEnv,
  pid: number,
  forbid: (isWrong: boolean, problem: string) => void,
): Sockets {
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

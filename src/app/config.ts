import path from 'node:path';
import type { TrustProxy } from '../http/client-address.ts';
import type { Shutdown } from '../http/server.ts';
import { parseReceivers, type ReceiverAddress } from '../outbox/webhooks/receiver-address.ts';
import { parseSecret } from '../outbox/webhooks/standard-webhook.ts';
import { STORE_DRIVERS } from '../store/drivers.ts';
import { LIMITER_DRIVERS } from '../uploads/limiters/drivers.ts';
import { SCANNER_DRIVERS } from '../uploads/scanners/drivers.ts';
import { STORAGE_DRIVERS } from '../uploads/storage/drivers.ts';
import { findUselessJobs } from './contradictions.ts';
import { createEnvironmentReader } from './environment-reader.ts';
import * as parse from './parse-settings.ts';
import { type PassedSockets, readPassedSockets } from './passed-sockets.ts';

/** The configuration of a process. Sizes are in bytes. */
export interface Config {
  version: string;
  host: string;
  port: number;
  sockets: PassedSockets;
  /** Null for the default, which carries the port that was really bound. */
  baseUrl: string | null;
  /** The address for reports of security problems; null for none. */
  contact: string | null;
  source: SourceConfig;
  /** Which services this process runs. */
  serves: { listing: boolean; uploads: boolean; refresh: boolean };
  /** Null where this process does not crawl on a schedule. */
  refreshCron: string | null;
  /** The time between two peeks at page 1; null for none. */
  peekMs: number | null;
  /** Whether the pages of single anime are read. */
  readsDetails: boolean;
  /** Whether covers are kept here, and are not shown from the source. */
  keepsCovers: boolean;
  /** Where a calendar of broadcasts is read; null for none. */
  broadcastsUrl: string | null;
  webhooks: {
    receivers: ReceiverAddress[];
    /** Null for messages without a signature. */
    secret: string | null;
    /** Whether receivers may have private addresses. */
    allowsPrivate: boolean;
  };
  /** The operator's address for push services, which switches Web Push on; null for none. */
  pushContact: string | null;
  /** Where strangers may have new episodes announced. */
  channels: 'off' | 'discord';
  /** How the servers stop. */
  shutdown: Shutdown;
  timeZone: string;
  dataDir: string;
  cacheUrl: string;
  upload: UploadConfig;
  /** Null where nothing is measured. */
  metricsPort: number | null;
  /** The loopback address by default, whatever `host` is, because metrics are for the operator alone. */
  metricsHost: string;
  logLevel: (typeof LOG_LEVELS)[number];
}

export interface SourceConfig {
  urls: string[];
  delayMs: number;
  timeoutMs: number;
  proxy: string | undefined;
  userAgent: string;
}

export interface UploadConfig {
  port: number;
  /** Null for the default, which carries the port that was really bound. */
  url: string | null;
  storageUrl: string;
  maxBytes: number;
  quotaBytes: number;
  ownerBytes: number;
  ttlMs: number;
  /** How long an upload that is not complete may be continued. */
  resumeTtlMs: number;
  rateLimit: number;
  rateWindowMs: number;
  concurrency: number;
  /** Who may upload: one of these secrets is needed; none for everybody. */
  tokens: readonly string[];
  limiterUrl: string;
  /** Null without a malware scanner. */
  scannerUrl: string | null;
  /** Whether large files are sent by the object store. */
  offloads: boolean;
  /** How much of one file may be sent in an hour; null for any amount. */
  fileTrafficBytes: number | null;
  trustProxy: TrustProxy;
}

/** Up to ten years, enough for the links of an archive. */
const LIFE = '3650d';
/** The memory of the limiter is sized for this rate. */
const MAX_RATE_LIMIT = 10_000;
const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

/** Reads the configuration from the environment. Throws ConfigError with every problem at once. */
export function readConfig(environment: NodeJS.ProcessEnv, version: string): Readonly<Config> {
  const { read, readSecret, readPublic, forbid, forbidSame, finish } = createEnvironmentReader(environment);
  const dataDir = path.resolve(read('DATA_DIR', './data', parse.text));
  const storageUrl = read(
    'UPLOAD_STORAGE_URL',
    `file:${path.join(dataDir, 'uploads')}`,
    parse.driverUrl(STORAGE_DRIVERS),
  );
  const allowsPrivate = read('WEBHOOK_PRIVATE', 'off', parse.oneOf('off', 'on')) === 'on';
  const config: Config = {
    version,
    host: read('HOST', '127.0.0.1', parse.text),
    port: read('PORT', '3000', parse.port),
    sockets: readPassedSockets(environment, process.pid, forbid),
    baseUrl: read('BASE_URL', '', parse.optional(parse.origin)),
    contact: readPublic('CONTACT', parse.optional(parse.contact)),
    source: {
      urls: read('SOURCE_URLS', 'https://otakudesu.blog', parse.origins),
      delayMs: read('SOURCE_DELAY', '500ms', parse.durationFrom('0')),
      timeoutMs: read('SOURCE_TIMEOUT', '15s', parse.durationFrom('1ms')),
      proxy: read('SOURCE_PROXY', '', parse.optional(parse.url)) ?? undefined,
      userAgent: read('SOURCE_USER_AGENT', `Tayang/${version}`, parse.header),
    },
    serves: read('SERVE', 'listing,uploads,refresh', parse.services),
    refreshCron: read('REFRESH_CRON', '0 * * * *', parse.orOff(parse.cron)),
    peekMs: read('REFRESH_PEEK', '3m', parse.orOff(parse.durationFrom('1s', '1d'))),
    readsDetails: read('REFRESH_DETAILS', 'on', parse.oneOf('on', 'off')) === 'on',
    keepsCovers: read('COVERS', 'on', parse.oneOf('on', 'off')) === 'on',
    broadcastsUrl: read('BROADCASTS_URL', '', parse.optional(parse.broadcastsUrl)),
    webhooks: {
      receivers: readSecret('WEBHOOK_URLS', (value) => parseReceivers(value, allowsPrivate)),
      secret: readSecret('WEBHOOK_SECRET', parse.optional(parseSecret)),
      allowsPrivate,
    },
    pushContact: readPublic('PUSH_CONTACT', parse.optional(parse.publicContact)),
    channels: read('CHANNELS', 'off', parse.oneOf('off', 'discord')),
    shutdown: {
      delayMs: read('SHUTDOWN_DELAY', '0s', parse.durationFrom('0')),
      idleMs: 2_000,
      graceMs: 30_000,
    },
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
      resumeTtlMs: read('UPLOAD_RESUME_TTL', '6h', parse.durationFrom('1ms', LIFE)),
      rateLimit: read('UPLOAD_RATE_LIMIT', '40', parse.countUpTo(MAX_RATE_LIMIT)),
      rateWindowMs: read('UPLOAD_RATE_WINDOW', '60s', parse.durationFrom('1ms')),
      concurrency: read('UPLOAD_CONCURRENCY', '32', parse.countUpTo(10_000)),
      tokens: readSecret('UPLOAD_TOKENS', parse.tokens),
      limiterUrl: read('UPLOAD_LIMITER_URL', 'memory:', parse.driverUrl(LIMITER_DRIVERS)),
      scannerUrl: read('UPLOAD_SCANNER_URL', '', parse.optional(parse.driverUrl(SCANNER_DRIVERS))),
      offloads: read('UPLOAD_OFFLOAD', '', parse.offloadFrom(storageUrl)),
      fileTrafficBytes: read('UPLOAD_FILE_TRAFFIC', '', parse.optional(parse.size)),
      trustProxy: read('TRUST_PROXY', '0', parse.trustProxy),
    },
    metricsPort: read('METRICS_PORT', 'off', parse.orOff(parse.port)),
    metricsHost: read('METRICS_HOST', '127.0.0.1', parse.text),
    logLevel: read('LOG_LEVEL', 'info', parse.oneOf(...LOG_LEVELS)),
  };
  forbidSame('UPLOAD_PORT', 'PORT', "a stranger's file needs an origin of its own");
  forbidSame('METRICS_PORT', 'PORT', 'metrics are for the operator alone');
  forbidSame('METRICS_PORT', 'UPLOAD_PORT', 'metrics are for the operator alone');
  forbidSame('UPLOAD_URL', 'BASE_URL', "a stranger's file needs an origin of its own");
  finish(() => findUselessJobs(config));
  return Object.freeze(config);
}

import path from 'node:path';
import { describeCronError } from './listing/refresh-timer.ts';
import { STORE_SCHEMES, schemeOf } from './listing/stores/schemes.ts';
import { createReader } from './read-environment.ts';

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

export type Config = ReturnType<typeof readConfig>;

/**
 * Environment → configuration: frozen, typed, and the only way in. Throws ConfigError with every problem at once,
 * each by its variable's name.
 */
export function readConfig(environment: NodeJS.ProcessEnv, version: string) {
  const read = createReader(environment);
  const dataDir = path.resolve(read.text('DATA_DIR', './data'));
  const port = read.port('PORT', 3000);
  const config = {
    host: read.text('HOST', '127.0.0.1'),
    port,
    /** Null: the default, which carries the port that was really bound. */
    baseUrl: read.origin('BASE_URL'),
    source: Object.freeze({
      urls: read.origins('SOURCE_URLS', 'https://otakudesu.blog'),
      delayMs: read.duration('SOURCE_DELAY', '500ms'),
      timeoutMs: read.duration('SOURCE_TIMEOUT', '15s', { least: 1 }),
      proxy: read.proxy('SOURCE_PROXY'),
      userAgent: read.header('SOURCE_USER_AGENT', `Tayang/${version}`),
    }),
    /** Null where this process never refreshes by itself. */
    refreshCron: read.checked('REFRESH_CRON', '*/15 * * * *', readCron),
    timeZone: read.checked('TIME_ZONE', 'Asia/Jakarta', readTimeZone),
    dataDir,
    cacheUrl: read.checked('CACHE_URL', `sqlite:${path.join(dataDir, 'cache.sqlite')}`, readCacheUrl),
    logLevel: read.oneOf('LOG_LEVEL', LOG_LEVELS, 'info'),
  };
  read.finish();
  return Object.freeze(config);
}

function readCron(value: string): string | null {
  if (value === 'off') return null;
  const problem = describeCronError(value);
  if (problem) throw new Error(`must be a cron expression, such as */15 * * * *, or off: ${problem}`);
  return value;
}

function readTimeZone(value: string): string {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: value }) && value;
  } catch {
    throw new Error('must be the name of a time zone, such as Asia/Jakarta');
  }
}

function readCacheUrl(value: string): string {
  const scheme = schemeOf(value);
  const known = Object.keys(STORE_SCHEMES);
  if (!known.includes(scheme)) throw new Error(`must begin with one of ${known.join(', ')}`);
  if (scheme === 'sqlite:' && value === scheme) throw new Error('must name a file: sqlite:PATH');
  return value;
}

import { describeCronError } from '../crawler/timing/cron.ts';
import { schemeOf } from '../domain/setting-url.ts';
import { DAY_MS, parseDuration, parseSize } from '../domain/units.ts';
import { isProxyRange, type TrustProxy } from '../http/client-address.ts';
import { parseRedisUrl } from '../redis/address.ts';
import { parseClamdUrl } from '../uploads/scanners/clamd-connection.ts';
import { SCANNER_DRIVERS } from '../uploads/scanners/drivers.ts';
import { parseS3Url } from '../uploads/storage/s3/address.ts';

/** The values of single variables. Each function throws an Error that says what the value must be. */

const MIN_PEEK_MS = 1_000;
const MAX_PEEK_MS = DAY_MS;

export function parseCron(value: string): string | null {
  if (value === 'off') return null;
  const problem = describeCronError(value);
  if (problem) throw new Error(`must be a cron expression, such as 0 * * * *, or off: ${problem}`);
  return value;
}

export function parsePeek(value: string): number | null {
  if (value === 'off') return null;
  const ms = parseDuration(value);
  if (ms !== undefined && ms >= MIN_PEEK_MS && ms <= MAX_PEEK_MS) return ms;
  throw new Error('must be a duration from 1s to 1d, such as 3m, or off');
}

export function parseBroadcastsUrl(value: string): string | null {
  if (value === '' || value === 'anilist:' || /^file:./u.test(value)) return value || null;
  const url = URL.parse(value);
  const isLocal = url?.protocol === 'http:' && /^(?:localhost|127\.[\d.]+|\[::1\])$/u.test(url.hostname);
  if (url && (url.protocol === 'https:' || isLocal)) return url.href;
  throw new Error('must be anilist:, https://…, http:// on a loopback address, or file:PATH');
}

export function parseTimeZone(value: string): string {
  try {
    Intl.DateTimeFormat('en', { timeZone: value });
    return value;
  } catch {
    throw new Error('must be the name of a time zone, such as Asia/Jakarta');
  }
}

/** Checks a driver's URL: a known scheme, and what has to follow it. */
export function parseDriverUrl(value: string, schemes: Record<string, unknown>): string {
  const scheme = schemeOf(value);
  const known = Object.keys(schemes);
  if (!known.includes(scheme)) throw new Error(`must begin with one of ${known.join(', ')}`);
  if (/^rediss?:$/u.test(scheme)) parseRedisUrl(value);
  else if (scheme === 's3:') parseS3Url(value);
  else if (scheme !== 'memory:' && value === scheme) throw new Error(`must have a path: ${scheme}PATH`);
  return value;
}

export function parseOffload(value: string): boolean {
  if (value === '' || value === 's3') return value === 's3';
  throw new Error('must be s3, or empty');
}

export function parseTraffic(value: string): number | null {
  const bytes = value === '' ? null : parseSize(value);
  if (bytes === null || (bytes !== undefined && bytes > 0)) return bytes;
  throw new Error('must be a size, such as 5 GB');
}

export function parseScannerUrl(value: string): string | null {
  if (value === '') return null;
  const known = Object.keys(SCANNER_DRIVERS);
  if (!known.includes(schemeOf(value))) throw new Error(`must begin with ${known.join(' or ')}`);
  parseClamdUrl(value);
  return value;
}

const SERVICES = ['listing', 'uploads', 'refresh'] as const;

export function parseServices(value: string): Record<(typeof SERVICES)[number], boolean> {
  const named = value.split(',').map((name) => name.trim());
  const unknown = named.find((name) => !SERVICES.some((service) => service === name));
  if (unknown !== undefined) throw new Error(`must be some of ${SERVICES.join(', ')}, separated by commas`);
  return {
    listing: named.includes('listing'),
    uploads: named.includes('uploads'),
    refresh: named.includes('refresh'),
  };
}

export function parseContact(value: string): string | null {
  if (value === '') return null;
  const url = URL.parse(value);
  if (url?.protocol === 'https:' || (url?.protocol === 'mailto:' && value.includes('@'))) return url.href;
  throw new Error('must be an address that begins with mailto: or https://');
}

export function parseTrustProxy(value: string): TrustProxy {
  if (/^\d{1,2}$/u.test(value)) return Number(value) || null;
  const ranges = value.split(',').map((range) => range.trim());
  const wrong = ranges.find((range) => !isProxyRange(range));
  if (wrong === undefined) return ranges;
  throw new Error(
    `must be a number of hops, or addresses and ranges such as 10.0.0.0/8; "${wrong}" is neither`,
  );
}

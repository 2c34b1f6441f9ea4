import { describeCronError } from '../crawler/timing/cron.ts';
import { describeError } from '../domain/errors.ts';
import { requireEscapedPassword, schemeOf } from '../domain/setting-url.ts';
import { parseDuration, parseSize } from '../domain/units.ts';
import { isProxyRange, type TrustProxy } from '../http/client-address.ts';
import { isPublicDomain, isPublicHost } from '../network/public-host.ts';
import { parseRedisUrl } from '../redis/address.ts';
import { parseClamdUrl } from '../uploads/scanners/clamd-connection.ts';
import { SCANNER_DRIVERS } from '../uploads/scanners/drivers.ts';
import { parseS3Url } from '../uploads/storage/s3/address.ts';

/** Too many to guess. */
const MIN_TOKEN_LENGTH = 16;
/** Visible ASCII, as a header can have it, without the comma that separates tokens. */
const TOKEN = new RegExp(`^[!-+\\--~]{${MIN_TOKEN_LENGTH},256}$`, 'u');

/** The values of single variables. Each parser throws an Error that says what the value must be. */

type Parse<Value> = (value: string) => Value;

/** Makes a parser of a function that returns undefined for a wrong value. */
function must<Value>(be: string, parse: Parse<Value | undefined>): Parse<Value> {
  return (value) => {
    const parsed = parse(value);
    if (parsed === undefined) throw new Error(`must ${be}`);
    return parsed;
  };
}

/** Null where the variable is not set. */
export function optional<Value>(parse: Parse<Value>): Parse<Value | null> {
  return (value) => (value === '' ? null : parse(value));
}

/** Null for `off`. */
export function orOff<Value>(parse: Parse<Value>): Parse<Value | null> {
  return (value) => {
    if (value === 'off') return null;
    try {
      return parse(value);
    } catch (error) {
      throw new Error(`${describeError(error)}, or off`);
    }
  };
}

export const text: Parse<string> = (value) => value;

export const header = must('be printable ASCII, of 256 characters at most', (value) =>
  /^[\x20-\x7e]{1,256}$/u.test(value) ? value : undefined,
);

/** Secrets, separated by commas. They are not shown where one is wrong. */
export const tokens = must(
  `be tokens of ${MIN_TOKEN_LENGTH} characters and more, separated by commas, without spaces`,
  (value) => {
    const list = value.split(',').map((token) => token.trim());
    const found = [...new Set(list.filter((token) => token !== ''))];
    return found.every((token) => TOKEN.test(token)) ? found : undefined;
  },
);

export const port = must('be a port from 0, which picks a free one, to 65535', (value) =>
  /^\d+$/u.test(value) && Number(value) <= 65_535 ? Number(value) : undefined,
);

/** Node's timers wait for 24 days at most. */
export function durationFrom(min: string, max = '24d'): Parse<number> {
  const [minMs = 0, maxMs = 0] = [parseDuration(min), parseDuration(max)];
  return must(`be a duration from ${min} to ${max}, such as 500ms, 15s, 10m or 24h`, (value) => {
    const ms = parseDuration(value) ?? -1;
    return ms >= minMs && ms <= maxMs ? ms : undefined;
  });
}

export const size = must(
  'be a size above 0, such as 512 KB, 100 MB or 10 GB',
  (value) => parseSize(value) || undefined,
);

export function countUpTo(max: number): Parse<number> {
  return must(`be a whole number from 1 to ${max}`, (value) =>
    /^[1-9]\d*$/u.test(value) && Number(value) <= max ? Number(value) : undefined,
  );
}

/** Files on a disk are always sent by the service. */
export function offloadFrom(storageUrl: string): Parse<boolean> {
  return must('be empty, or s3 where UPLOAD_STORAGE_URL is s3://…', (value) =>
    value === '' || (value === 's3' && /^s3:/u.test(storageUrl)) ? value === 's3' : undefined,
  );
}

export function oneOf<Choice extends string>(...choices: Choice[]): Parse<Choice> {
  return must(`be one of ${choices.join(', ')}`, (value) => choices.find((choice) => choice === value));
}

export const url = must('be an address that begins with http:// or https://', (value) => {
  requireEscapedPassword(value);
  const parsed = URL.parse(value);
  return parsed && /^https?:$/u.test(parsed.protocol) ? parsed.href : undefined;
});

export const origin = must('be an origin without a path, such as https://example.org', (value) => {
  const parsed = URL.parse(value);
  const isBare = parsed?.href === `${parsed?.origin}/` && /^https?:$/u.test(parsed.protocol);
  return isBare ? parsed.origin : undefined;
});

/** Leaves out empty items, as after a last comma, but keeps one when there is no other, so that it is a problem. */
export function origins(value: string): string[] {
  const items = value.split(',').map((item) => item.trim());
  const filled = items.filter(Boolean);
  return [...new Set((filled.length > 0 ? filled : items).map(origin))];
}

export function cron(value: string): string {
  const problem = describeCronError(value);
  if (problem) throw new Error(`must be a cron expression, such as 0 * * * * (${problem})`);
  return value;
}

export const broadcastsUrl = must(
  'be anilist:, https://…, http:// on a loopback address, or file:PATH',
  (value) => {
    if (value === 'anilist:' || /^file:./u.test(value)) return value;
    const url = URL.parse(value);
    const isLocal = url?.protocol === 'http:' && /^(?:localhost|127\.[\d.]+|\[::1\])$/u.test(url.hostname);
    return url?.protocol === 'https:' || isLocal ? url.href : undefined;
  },
);

export const timeZone = must('be the name of a time zone, such as Asia/Jakarta', (value) => {
  try {
    Intl.DateTimeFormat('en', { timeZone: value });
    return value;
  } catch {
    return undefined;
  }
});

/** The schemes whose URLs may have a password. */
const PASSWORD_SCHEME = /^(?:rediss?|clamd|https?):$/u;

/** Checks a driver's URL: a known scheme, and what has to follow it. */
export function driverUrl(schemes: Record<string, unknown>): Parse<string> {
  return (value) => {
    const scheme = schemeOf(value);
    if (PASSWORD_SCHEME.test(scheme)) requireEscapedPassword(value);
    const known = Object.keys(schemes);
    if (!known.includes(scheme))
      throw new Error(`must begin with ${known.length > 1 ? 'one of ' : ''}${known.join(', ')}`);
    if (/^rediss?:$/u.test(scheme)) parseRedisUrl(value);
    else if (scheme === 's3:') parseS3Url(value);
    else if (schemes === SCANNER_DRIVERS) parseClamdUrl(value);
    else if (scheme !== 'memory:' && value === scheme) throw new Error(`must have a path: ${scheme}PATH`);
    return value;
  };
}

const SERVICES = ['listing', 'uploads', 'refresh'] as const;

export const services = must(`be some of ${SERVICES.join(', ')}, separated by commas`, (value) => {
  const named = new Set(value.split(',').map((name) => name.trim()));
  const serves = (service: (typeof SERVICES)[number]) => named.delete(service);
  const services = { listing: serves('listing'), uploads: serves('uploads'), refresh: serves('refresh') };
  return named.size === 0 ? services : undefined;
});

export const contact = must('be an address that begins with mailto: or https://', (value) => {
  const url = URL.parse(value);
  const isMail = url?.protocol === 'mailto:' && value.includes('@');
  return url?.protocol === 'https:' || isMail ? url.href : undefined;
});

/** Apple refuses every message of a service whose contact is not at a public domain or host, or contains a space. */
export const publicContact = must(
  'be mailto: and an address at a public domain, such as mailto:operator@example.org, or an https: address at a public host',
  (value) => {
    const url = URL.parse(value);
    if (!url || /\s/u.test(value)) return undefined;
    if (url.protocol === 'https:') return !url.username && isPublicHost(url.hostname) ? url.href : undefined;
    const [, domain] = /^mailto:[\w.!#$&'*+/=^`{|}~-]+@([^@/\\?#:%]+)$/iu.exec(value) ?? [];
    return domain !== undefined && isPublicDomain(domain) ? url.href : undefined;
  },
);

export const trustProxy = must(
  'be a number of hops, or addresses and ranges such as 10.0.0.0/8',
  (value): TrustProxy | undefined => {
    if (/^\d{1,2}$/u.test(value)) return Number(value) || null;
    const ranges = value.split(',').map((range) => range.trim());
    return ranges.every(isProxyRange) ? ranges : undefined;
  },
);

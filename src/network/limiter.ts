import { AppError } from '../domain/errors.ts';
import { MINUTE_MS } from '../domain/units.ts';
import { networksOf } from './ip-address.ts';

/** A bucket that requests are counted in. A key always has the same limit. */
export interface Bucket {
  key: string;
  /** The maximum number of requests in any window. */
  limit: number;
}

/** The state of the tightest of the buckets that a request counts in. */
export interface Verdict {
  ok: boolean;
  limit: number;
  /** Requests left in this window after the one just counted; 0 when refused. */
  remaining: number;
  /**
   * Time until the oldest counted request leaves the window; when refused, until the same request would be allowed,
   * as far as is known. Rounded up to whole milliseconds.
   */
  resetMs: number;
}

/** Limits how often an address may upload: no window, wherever it starts, contains more than `limit` requests. */
export interface Limiter {
  /**
   * Counts one request in each of the buckets (at least one, no key twice), or in none of them when one is full. A
   * request counts from its time t until t + window; a refused one does not count.
   */
  take(buckets: readonly Bucket[]): Verdict | Promise<Verdict>;
  /** Returns the verdict that a request would get, without counting one. */
  peek(buckets: readonly Bucket[]): Verdict | Promise<Verdict>;
}

/**
 * Returns the tighter of the verdicts of two buckets on one request: the one with fewer requests left, or else the one
 * with the longer wait. A refusal has none left; a bucket that would have allowed the request has.
 */
export function tighter(a: Verdict, b: Verdict): Verdict {
  if (a.remaining !== b.remaining) return a.remaining < b.remaining ? a : b;
  return a.resetMs >= b.resetMs ? a : b;
}

/** Throws AppError `too-many-requests` for an address that is over its limit. `what`: what it has sent too many of. */
export function refuseOverLimit({ ok, resetMs }: Verdict, what: string): void {
  if (ok) return;
  const wait =
    resetMs > 2 * MINUTE_MS ? `${Math.ceil(resetMs / MINUTE_MS)} minutes` : `${Math.ceil(resetMs / 1_000)} s`;
  const message = `too many ${what} from your address; try again in ${wait}`;
  throw new AppError('too-many-requests', message, { retryAfterMs: resetMs });
}

/** How many times the limit of a single address a /48 has, which usually belongs to one site. */
const SITE_FACTOR = 8;

/** Returns the buckets that a request from this address counts in: one, or for IPv6 its /64 and its /48. */
export function limiterBuckets(address: string, limit: number): Bucket[] {
  const [key, site] = networksOf(address);
  return [{ key, limit }, ...(site === undefined ? [] : [{ key: site, limit: limit * SITE_FACTOR }])];
}

/** Returns the owner of the files that an address uploads: the key of its narrowest bucket. */
export const ownerOf = (address: string): string => networksOf(address)[0];

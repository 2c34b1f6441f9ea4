import { networksOf } from './ip-address.ts';
import type { LimitBucket } from './limiter.ts';

/** How many times the limit of a single address a /48 has, which usually belongs to one site. */
const SITE_FACTOR = 8;

/**
 * Returns the buckets that a request from this address counts in: one, or for IPv6 its /64 and its /48. `purpose` keeps apart
 * what one limiter counts for several purposes.
 */
export function addressBuckets(address: string, limit: number, purpose = ''): LimitBucket[] {
  const [client, site] = networksOf(address);
  const keyOf = (network: string) => (purpose === '' ? network : `${purpose} ${network}`);
  const bucket = { key: keyOf(client), limit };
  return site === undefined ? [bucket] : [bucket, { key: keyOf(site), limit: limit * SITE_FACTOR }];
}

/** Returns the owner of the files that an address uploads: the key of its narrowest bucket. */
export function ownerOf(address: string): string {
  return networksOf(address)[0];
}

import ipaddr from 'ipaddr.js';
import { parseAddress } from './ip-address.ts';
import type { Bucket } from './limiter.ts';

/** How many times the limit of a single address a /48 has, which usually belongs to one site. */
const SITE_FACTOR = 8;

/**
 * Returns the buckets that a request from this address counts in. An IPv4 address has one, also when it is written
 * `::ffff:192.0.2.1`. An IPv6 address counts in its /64, within which a host can choose freely, and in its /48. All
 * invalid addresses share one bucket.
 */
export function limiterBuckets(address: string, limit: number): Bucket[] {
  const ip = parseAddress(address);
  if (!ip) return [{ key: 'unknown', limit }];
  if (ip instanceof ipaddr.IPv4) return [{ key: ip.toString(), limit }];
  return [
    { key: networkOf(ip, 64), limit },
    { key: networkOf(ip, 48), limit: limit * SITE_FACTOR },
  ];
}

/** Returns the owner of the files that an address uploads: the key of its narrowest bucket. */
export function ownerOf(address: string): string {
  return limiterBuckets(address, 1)[0]?.key ?? '';
}

/** Returns the buckets of the quota that an owner's files count in. */
export function quotaBuckets(owner: string, limit: number): Bucket[] {
  return limiterBuckets(owner.replace(/\/64$/u, ''), limit);
}

/** Returns the network of an address, such as `2001:db8:0:1::/64`. A zone such as `%eth0` is dropped. */
function networkOf(ip: ipaddr.IPv6, bits: 48 | 64): string {
  const groups = ip.parts.slice(0, bits / 16).map((group) => group.toString(16));
  return `${groups.join(':')}::/${bits}`;
}

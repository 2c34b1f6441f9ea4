import ipaddr from 'ipaddr.js';
import type { BucketKey } from './limiter.ts';

/** The limit of a /48, which usually belongs to one site, in limits of a single address. */
const SITE_FACTOR = 8;

/**
 * Returns the buckets that a request from this address counts in. An IPv4 address has one, also when it is written
 * `::ffff:192.0.2.1`. An IPv6 address counts in its /64, within which a host can choose freely, and in its /48. All
 * invalid addresses share one bucket.
 */
export function limiterKeys(address: string, limit: number): BucketKey[] {
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
  return limiterKeys(address, 1)[0]?.key ?? '';
}

/** Returns the address in the form that is stored and logged: without a port, and IPv4 as such. Empty if it is invalid. */
export function canonicalAddress(address: string): string {
  return parseAddress(address)?.toString() ?? '';
}

/** Returns the buckets of the quota that an owner's files count in. */
export function quotaBuckets(owner: string, limit: number): BucketKey[] {
  return limiterKeys(owner.replace(/\/64$/u, ''), limit);
}

/** Accepts a port, which some proxies send. Rejects `127.1` and `017.0.0.1`, which are read in different ways. */
export function parseAddress(address: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  const host = address.replace(/^\[(.+)\](?::\d+)?$|^([\d.]+):\d+$/, '$1$2');
  const isValid = ipaddr.IPv4.isValidFourPartDecimal(host) || ipaddr.IPv6.isValid(host);
  return isValid ? ipaddr.process(host) : undefined;
}

/** Returns `2001:db8:0:1::/64`. A zone such as `%eth0` is dropped. */
function networkOf(ip: ipaddr.IPv6, bits: 48 | 64): string {
  const groups = ip.parts.slice(0, bits / 16).map((group) => group.toString(16));
  return `${groups.join(':')}::/${bits}`;
}

import ipaddr from 'ipaddr.js';
import type { BucketKey } from './limiter.ts';

/** One site usually owns a whole /48: it may use so many times what one address may. */
const SITE_FACTOR = 8;

/**
 * The buckets that a request from this address counts in. IPv4 has one an address, also when written
 * `::ffff:192.0.2.1`. IPv6 has one for the /64, in which a host picks addresses as it likes, and a wider one for the
 * /48. What is no address shares one bucket with all that is none.
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

/** Whose an address is: the key of its narrowest bucket. */
export function ownerOf(address: string): string {
  return limiterKeys(address, 1)[0]?.key ?? '';
}

/** The shares of the store that an owner's files count in. An owner is the first bucket of an address. */
export function ownerShares(owner: string, limit: number): BucketKey[] {
  return limiterKeys(owner.replace(/\/64$/u, ''), limit);
}

/** Some proxies pass `192.0.2.1:4711` and `[2001:db8::1]:4711` on; `127.1` and `017.0.0.1` are a stranger's riddles. */
function parseAddress(address: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  const host = address.replace(/^\[(.+)\](?::\d+)?$|^([\d.]+):\d+$/, '$1$2');
  const known = ipaddr.IPv4.isValidFourPartDecimal(host) || ipaddr.IPv6.isValid(host);
  return known ? ipaddr.process(host) : undefined;
}

/** `2001:db8:0:1::/64`: made of the groups, so that a zone (`%eth0`) is no part of it. */
function networkOf(ip: ipaddr.IPv6, bits: 48 | 64): string {
  const groups = ip.parts.slice(0, bits / 16).map((group) => group.toString(16));
  return `${groups.join(':')}::/${bits}`;
}

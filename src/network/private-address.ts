import { lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * Whether the host of a URL is `localhost` or a literal address outside the public internet: private, loopback,
 * link-local, multicast or reserved. Other names are not resolved here.
 */
export function isPrivateHost(hostname: string): boolean {
  const host = hostname.replace(/^\[(.*)\]$/u, '$1').toLowerCase();
  if (!ipaddr.isValid(host)) return /(?:^|\.)localhost\.?$/u.test(host);
  return ipaddr.process(host).range() !== 'unicast';
}

/**
 * Returns a DNS lookup that fails with the error of `refuse` when an untrusted name has a private address. The
 * connection uses the same answer, which prevents DNS rebinding. Node looks up names alone: the caller checks literal
 * addresses.
 */
export function createGuardedLookup(
  isTrusted: (hostname: string) => boolean,
  refuse: (hostname: string) => Error,
): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, options, (error, address, family) => {
      const addresses = typeof address === 'string' ? [address] : (address ?? []).map((one) => one.address);
      const isRefused = !error && !isTrusted(hostname) && addresses.some(isPrivateHost);
      callback(isRefused ? refuse(hostname) : error, address, family);
    });
  };
}

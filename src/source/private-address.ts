import { lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { AppError } from '../domain/errors.ts';

/** Which hosts the crawler may connect to. */
export interface HostPolicy {
  /** Whether a redirect may lead to this host, as far as its name or its literal address tells. */
  allows(hostname: string): boolean;
  /** A DNS lookup for connections that refuses private addresses. */
  lookup: LookupFunction;
}

/**
 * Allows every public host and the configured ones; every host where one of `origins` has a private address itself.
 */
export function createHostPolicy(origins: readonly string[]): HostPolicy {
  const configured = new Set(origins.map((origin) => new URL(origin).hostname));
  const allowsPrivate = [...configured].some(isPrivateHost);
  const isTrusted = (hostname: string) => allowsPrivate || configured.has(hostname);
  return {
    allows: (hostname) => isTrusted(hostname) || !isPrivateHost(hostname),
    lookup: createGuardedLookup(isTrusted),
  };
}

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
 * Returns a DNS lookup that fails with AppError `source-moved` when an untrusted name has a private address. The
 * connection uses the same answer, which prevents DNS rebinding.
 */
export function createGuardedLookup(isTrusted: (hostname: string) => boolean): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, options, (error, address, family) => {
      const addresses = typeof address === 'string' ? [address] : (address ?? []).map((one) => one.address);
      const isRefused = !error && !isTrusted(hostname) && addresses.some(isPrivateHost);
      callback(isRefused ? privateName(hostname) : error, address, family);
    });
  };
}

function privateName(hostname: string): AppError {
  return new AppError(
    'source-moved',
    `the source leads to ${hostname}, which has a private address: not followed`,
  );
}

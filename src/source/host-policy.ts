import type { LookupFunction } from 'node:net';
import { AppError } from '../domain/errors.ts';
import { createGuardedLookup, isPrivateHost } from '../outbound/private-address.ts';

/** Which hosts the crawler may connect to. */
export interface HostPolicy {
  /** Whether a redirect may lead to this host, according to its name or its literal address. */
  allows(hostname: string): boolean;
  /** A DNS lookup for connections that refuses private addresses with AppError `source-moved`. */
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
    lookup: createGuardedLookup(isTrusted, privateName),
  };
}

function privateName(hostname: string): AppError {
  return new AppError(
    'source-moved',
    `the source leads to ${hostname}, which has a private address: not followed`,
  );
}

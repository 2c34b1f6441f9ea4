import type { IncomingMessage } from 'node:http';
import proxyAddr from 'proxy-addr';

/** The proxies whose `X-Forwarded-For` is trusted: a number of hops, or addresses and ranges. Null for none. */
export type TrustProxy = number | string[] | null;

/** Whether a text is an address, a range, or one of the names `loopback`, `linklocal` and `uniquelocal`. */
export function isProxyRange(range: string): boolean {
  try {
    return Boolean(proxyAddr.compile(range));
  } catch {
    return false;
  }
}

/**
 * Returns a function from a request to the address of its client. It reads forwarded addresses from the right, as far as
 * they are trusted, because a client can write anything at the left end of the header.
 */
export function createClientAddress(trust: TrustProxy): (request: IncomingMessage) => string {
  const isTrusted =
    typeof trust === 'number'
      ? (_address: string, hop: number) => hop < trust
      : proxyAddr.compile(trust ?? []);
  // A connection that has been closed has no address.
  return (request) => proxyAddr(request, isTrusted) ?? '';
}

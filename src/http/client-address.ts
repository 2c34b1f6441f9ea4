import type { IncomingMessage } from 'node:http';
import proxyAddr from 'proxy-addr';

/** Who may say on whose behalf it asks: so many hops from here, or these addresses and ranges. Null: nobody. */
export type TrustProxy = number | string[] | null;

/** Whether it is an address, a range, or a name for some: `loopback`, `linklocal`, `uniquelocal`. */
export function isProxyRange(range: string): boolean {
  try {
    return Boolean(proxyAddr.compile(range));
  } catch {
    return false;
  }
}

/**
 * Returns the address of a request's client. Forwarded addresses are read from the right, as far as they are
 * trusted: the left end of the header is the client's own word.
 */
export function createClientAddress(trust: TrustProxy): (request: IncomingMessage) => string {
  if (trust === null) return (request) => request.socket.remoteAddress ?? '';
  const isTrusted =
    typeof trust === 'number' ? (_address: string, hop: number) => hop < trust : proxyAddr.compile(trust);
  return (request) => proxyAddr(request, isTrusted);
}

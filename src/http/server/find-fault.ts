import type { IncomingMessage } from 'node:http';
import { hasValidHost } from './host-header.ts';
import {
  FRAGMENT_IN_TARGET,
  INVALID_HOST,
  type Refusal,
  UNKNOWN_CODING,
  UNKNOWN_VERSION,
  UNRELIABLE_LENGTH,
} from './refuse.ts';

/** Returns the refusal of a request that Node's parser accepts and RFC 9112 does not; undefined for any other. */
export function findFault(request: IncomingMessage): Refusal | undefined {
  const { httpVersion, url = '' } = request;
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return UNKNOWN_VERSION;
  if (!hasValidHost(request)) return INVALID_HOST;
  if (url.includes('#')) return FRAGMENT_IN_TARGET;
  const coding = request.headers['transfer-encoding'];
  if (coding === undefined) return undefined;
  // Servers that follow RFC 9112, 6.1, and older ones disagree about where such a request ends.
  if (httpVersion === '1.0') return UNRELIABLE_LENGTH;
  return /^chunked$/iu.test(coding) ? undefined : UNKNOWN_CODING;
}

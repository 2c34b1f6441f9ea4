import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';

/**
 * As a line in /etc/hosts would have it: every name under `.example` is at 127.0.0.1. It lets a test configure a
 * source by a public name and still answer for it. Imported for its effect, by processes that it is handed to too.
 */
const { lookup } = dns;
type Lookup = (hostname: string, ...rest: unknown[]) => void;

const lookupHere: Lookup = (hostname, ...rest) =>
  (lookup as Lookup)(hostname.endsWith('.example') ? '127.0.0.1' : hostname, ...rest);

dns.lookup = Object.assign(lookupHere, { __promisify__: lookup.__promisify__ }) as typeof dns.lookup;
syncBuiltinESMExports();

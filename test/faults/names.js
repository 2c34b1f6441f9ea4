import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';

/*
 * Resolves every name under `.example` to 127.0.0.1, as a line in /etc/hosts would: a test can configure a source by a
 * public name and still answer for it. Imported for its effect by every process and thread of the tests. It is plain
 * JavaScript because it is loaded before the compile cache is on: TypeScript would load its compiler in each of them.
 */
const { lookup } = dns;

const lookupHere = (hostname, ...rest) =>
  lookup(hostname.endsWith('.example') ? '127.0.0.1' : hostname, ...rest);

dns.lookup = Object.assign(lookupHere, { __promisify__: lookup.__promisify__ });
syncBuiltinESMExports();

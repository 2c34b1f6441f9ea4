import { lookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { AppError } from '../domain/errors.ts';

/** What is not on the open internet: this machine, its networks, and what is reserved. */
const PRIVATE = new BlockList();
for (const range of [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12'],
  ...['192.0.0.0/24', '192.168.0.0/16', '198.18.0.0/15', '224.0.0.0/4', '240.0.0.0/4'],
]) {
  add(range, 'ipv4');
}
for (const range of ['::/127', '64:ff9b::/96', '64:ff9b:1::/48', 'fc00::/7', 'fe80::/10', 'ff00::/8']) {
  add(range, 'ipv6');
}

function add(range: string, family: 'ipv4' | 'ipv6'): void {
  const [network = '', bits] = range.split('/');
  PRIVATE.addSubnet(network, Number(bits), family);
}

/** Whether a host, as it stands in an address, says of itself that it is private. A name says it only by being `localhost`. */
export function isPrivateHost(hostname: string): boolean {
  const bare = hostname.replace(/^\[(.*)\]$/u, '$1').toLowerCase();
  const family = isIP(bare);
  if (family === 0) return /(?:^|\.)localhost\.?$/u.test(bare);
  return PRIVATE.check(bare, family === 6 ? 'ipv6' : 'ipv4');
}

/**
 * A look-up that yields no private address, but for trusted names: AppError `source-moved` instead. It is what connects: an address cannot be one
 * thing when it is judged and another when it is used.
 */
export function guardLookup(isTrusted: (hostname: string) => boolean): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, options, (error, address, family) => {
      const found = typeof address === 'string' ? [address] : (address ?? []).map((one) => one.address);
      const isRefused = !error && !isTrusted(hostname) && found.some(isPrivateHost);
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

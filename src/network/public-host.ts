import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import { isPrivateHost } from './private-address.ts';

const LABEL = /^(?!-)[a-z\d-]{1,63}(?<!-)$/u;
const MAX_LENGTH = 253;
/** The last labels of names that are of one machine or network, or of nobody (RFC 2606, 6761, 6762, 7686, 8375, 9476). */
const PRIVATE_ENDS = new Set([
  'localhost',
  'localdomain',
  'local',
  'lan',
  'home',
  'corp',
  'internal',
  'intranet',
  'private',
  'test',
  'invalid',
  'onion',
  'alt',
  'arpa',
]);

/** Whether the host of a URL can be one of the public internet: a public domain or a public literal address. */
export function isPublicHost(hostname: string): boolean {
  const address = hostname.replace(/^\[(.*)\]$/u, '$1');
  return isIP(address) ? !isPrivateHost(address) : isPublicDomain(hostname);
}

/** Whether a name can be a domain of the public internet. It is not looked up. */
export function isPublicDomain(name: string): boolean {
  const domain = domainToASCII(name).toLowerCase();
  const labels = domain.split('.');
  const last = labels.at(-1) ?? '';
  const isWritten = domain.length <= MAX_LENGTH && labels.every((label) => LABEL.test(label));
  return isWritten && labels.length > 1 && !PRIVATE_ENDS.has(last) && !/^\d+$/u.test(last);
}

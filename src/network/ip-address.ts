import { BlockList, isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';

type Ip = ipaddr.IPv4 | ipaddr.IPv6;

/** A network of IPv4 or IPv6, by one of its addresses. An IPv4 network in IPv6 notation (`::ffff:10.0.0.0/104`) is one of IPv4. */
export interface AddressRange {
  ip: Ip;
  bits: number;
}

/** The number of bits of an address. */
const ADDRESS_BITS = { ipv4: 32, ipv6: 128 };
/** How many bits precede an IPv4 address in IPv6 notation. */
const MAPPED_BITS = 96;

/** Parses an address, which may have a port, as some proxies send. Undefined for the ambiguous `127.1` and `017.0.0.1`. */
export function parseAddress(address: string): Ip | undefined {
  const host = address.replace(/^\[(.+)\](?::\d+)?$|^([\d.]+):\d+$/, '$1$2');
  return isAddress(host) ? ipaddr.process(host) : undefined;
}

/** Returns the address in the form that is stored and logged: without a port, and IPv4 as such. Empty if it is invalid. */
export function canonicalAddress(address: string): string {
  return parseAddress(address)?.toString() ?? '';
}

/** Parses `203.0.113.0/24` or a single address. Undefined for anything else. */
export function parseAddressRange(text: string): AddressRange | undefined {
  const [, host = '', suffix] = /^([^/%]+)(?:\/(\d{1,3}))?$/u.exec(text) ?? [];
  if (!isAddress(host)) return undefined;
  const ip = ipaddr.process(host);
  const maxBits = ADDRESS_BITS[ip.kind()];
  const unmappedBits = ip.kind() === 'ipv4' && host.includes(':') ? MAPPED_BITS : 0;
  const bits = suffix === undefined ? maxBits : Number(suffix) - unmappedBits;
  if (bits < 0 || bits > maxBits) return undefined;
  return { ip, bits };
}

/** Returns `203.0.113.0/24`: the same text for a range however it was written. */
export function formatAddressRange({ ip, bits }: AddressRange): string {
  const family = ip instanceof ipaddr.IPv4 ? ipaddr.IPv4 : ipaddr.IPv6;
  return `${family.networkAddressFromCIDR(`${ip}/${bits}`)}/${bits}`;
}

/** Returns a function that says whether an address lies in one of the ranges. */
export function createRangeMatcher(ranges: Iterable<AddressRange>): (address: string) => boolean {
  const list = new BlockList();
  for (const { ip, bits } of ranges) list.addSubnet(ip.toString(), bits, ip.kind());
  return (address) => {
    const ip = parseAddress(address);
    return ip !== undefined && list.check(ip.toString(), ip.kind());
  };
}

/**
 * Returns the networks whose requests are counted for an address, the narrowest first. IPv4 has the address itself, also when
 * it is written `::ffff:192.0.2.1`; IPv6 the /64, within which a host can choose freely, and the /48. All invalid addresses
 * share one name.
 */
export function networksOf(address: string): [narrowest: string, site?: string] {
  const ip = parseAddress(address);
  if (!ip) return ['unknown'];
  return ip instanceof ipaddr.IPv4 ? [ip.toString()] : [networkOf(ip, 64), networkOf(ip, 48)];
}

/** Returns the network of an address, such as `2001:db8:0:1::/64`. A zone such as `%eth0` is dropped. */
function networkOf(ip: ipaddr.IPv6, bits: 48 | 64): string {
  const groups = ip.parts.slice(0, bits / 16).map((group) => group.toString(16));
  return `${groups.join(':')}::/${bits}`;
}

function isAddress(host: string): boolean {
  return isIPv4(host) || ipaddr.IPv6.isValid(host);
}

import ipaddr from 'ipaddr.js';
import { parseAddress } from './limiter-keys.ts';

type Ip = ipaddr.IPv4 | ipaddr.IPv6;

/** A network of IPv4 or IPv6. An IPv4 network that is written as one of IPv6 (`::ffff:10.0.0.0/104`) is one of IPv4. */
export interface AddressRange {
  kind: 'ipv4' | 'ipv6';
  bits: number;
  /** The first `bits` bits of every address in it. */
  network: bigint;
}

const MAPPED_BITS = 96;

/** Parses `203.0.113.0/24` or a single address. Undefined for anything else. */
export function parseAddressRange(text: string): AddressRange | undefined {
  const [, host = '', suffix] = /^([^/%]+)(?:\/(\d{1,3}))?$/u.exec(text) ?? [];
  if (!ipaddr.IPv4.isValidFourPartDecimal(host) && !ipaddr.IPv6.isValid(host)) return undefined;
  const ip = ipaddr.process(host);
  const maxBits = lengthOf(ip);
  const unmappedBits = ip.kind() === 'ipv4' && host.includes(':') ? MAPPED_BITS : 0;
  const bits = suffix === undefined ? maxBits : Number(suffix) - unmappedBits;
  if (bits < 0 || bits > maxBits) return undefined;
  return { kind: ip.kind(), bits, network: prefixOf(ip, bits) };
}

/** `203.0.113.0/24`: one text for each range, however it was written. */
export function formatAddressRange({ kind, bits, network }: AddressRange): string {
  const length = kind === 'ipv4' ? 32 : 128;
  const digits = (network << BigInt(length - bits)).toString(16).padStart(length / 4, '0');
  return `${ipaddr.fromByteArray([...Buffer.from(digits, 'hex')])}/${bits}`;
}

/** Whether the address, or the network (an owner such as `2001:db8::/64`), lies in the range or around it. */
export function overlaps(range: AddressRange, addressOrNetwork: string): boolean {
  const other = parseAddressRange(addressOrNetwork);
  if (other?.kind !== range.kind) return false;
  const bits = Math.min(range.bits, other.bits);
  return range.network >> BigInt(range.bits - bits) === other.network >> BigInt(other.bits - bits);
}

/**
 * Returns a function that says whether an address lies in one of the ranges. Its cost depends on the number of different
 * lengths of the ranges, not on their number.
 */
export function createRangeMatcher(ranges: Iterable<AddressRange>): (address: string) => boolean {
  const networks = { ipv4: new Map<number, Set<bigint>>(), ipv6: new Map<number, Set<bigint>>() };
  for (const { kind, bits, network } of ranges) {
    const known = networks[kind].get(bits) ?? new Set();
    networks[kind].set(bits, known.add(network));
  }
  return (address) => {
    const ip = parseAddress(address);
    if (!ip) return false;
    return networks[ip.kind()].entries().some(([bits, known]) => known.has(prefixOf(ip, bits)));
  };
}

function lengthOf(ip: Ip): number {
  return ip.kind() === 'ipv4' ? 32 : 128;
}

function prefixOf(ip: Ip, bits: number): bigint {
  const value = BigInt(`0x${Buffer.from(ip.toByteArray()).toString('hex')}`);
  return value >> BigInt(lengthOf(ip) - bits);
}

import { AppError } from '../../domain/errors.ts';
import {
  type AddressRange,
  createRangeMatcher,
  formatAddressRange,
  parseAddressRange,
} from '../address-range.ts';
import type { Records } from '../storage.ts';

/*
 * An entry is the text `sha256:HEX` or `address:CIDR`, in one form however it was written. Each is a record whose name
 * holds it, so that two commands at once lose nothing, and a listing is enough to read all of them.
 */

/** A list of 10,000 is read from S3 with ten requests. */
export const MAX_BLOCKS = 10_000;

const SHA256 = 'sha256:';
const ADDRESS = 'address:';
const PREFIX = 'block.';

/** What is refused: bytes by their checksum, and senders by their address. */
export interface BlockList {
  hasSha256(hex: string): boolean;
  hasAddress(address: string): boolean;
}

export function createBlockList(entries: Iterable<string>): BlockList {
  const checksums = new Set<string>();
  const ranges: AddressRange[] = [];
  for (const entry of entries) {
    const range = entry.startsWith(ADDRESS) && parseAddressRange(entry.slice(ADDRESS.length));
    if (range) ranges.push(range);
    else if (entry.startsWith(SHA256)) checksums.add(entry.slice(SHA256.length));
  }
  return { hasSha256: (hex) => checksums.has(hex), hasAddress: createRangeMatcher(ranges) };
}

/** Parses what an operator writes into an entry. Throws AppError `invalid-request`. */
export function parseBlockEntry(text: string): string {
  if (text.startsWith(SHA256)) return parseChecksum(text.slice(SHA256.length));
  if (text.startsWith(ADDRESS)) return parseBlockedRange(text.slice(ADDRESS.length));
  throw new AppError(
    'invalid-request',
    `"${text}" cannot be blocked; write ${SHA256}HEX or ${ADDRESS}CIDR, such as address:203.0.113.0/24`,
  );
}

function parseChecksum(hex: string): string {
  if (/^[0-9a-f]{64}$/iu.test(hex)) return `${SHA256}${hex.toLowerCase()}`;
  throw new AppError('invalid-request', `"${hex}" is not a SHA-256; it has 64 hexadecimal digits`);
}

function parseBlockedRange(cidr: string): string {
  const range = parseAddressRange(cidr);
  if (!range) {
    throw new AppError(
      'invalid-request',
      `"${cidr}" is neither an address nor a range; write it as 203.0.113.7, 203.0.113.0/24 or 2001:db8::/64`,
    );
  }
  if (range.bits === 0) throw new AppError('invalid-request', `"${cidr}" would block everybody`);
  return `${ADDRESS}${formatAddressRange(range)}`;
}

/** Sorted. */
export async function readBlockEntries(records: Records): Promise<string[]> {
  const names = await Array.fromAsync(records.list(PREFIX));
  return names.map((name) => Buffer.from(name.slice(PREFIX.length), 'hex').toString()).sort();
}

/** The name of an entry's record. */
export function blockRecordName(entry: string): string {
  return `${PREFIX}${Buffer.from(entry).toString('hex')}`;
}

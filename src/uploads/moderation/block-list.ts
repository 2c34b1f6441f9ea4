import { invalidRequest } from '../../domain/errors.ts';
import {
  type AddressRange,
  createRangeMatcher,
  formatAddressRange,
  parseAddressRange,
} from '../../network/ip-address.ts';
import type { Objects } from '../storage/objects.ts';

/*
 * An entry is the text `sha256:HEX` or `address:CIDR`, normalized. Each entry is a record of its own, so that concurrent
 * commands lose none. The name of the record contains the entry, so that a listing is enough to read all of them.
 */

/** The maximum number of entries. A list of this length is read from S3 with ten requests. */
export const MAX_BLOCKS = 10_000;

const SHA256 = 'sha256:';
const ADDRESS = 'address:';
const PREFIX = 'block.';

/** Whether a file is blocked, by the checksum of its bytes, or a sender, by the address. */
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

/** Parses an entry that an operator has written, and returns it normalized. Throws AppError `invalid-request`. */
export function parseBlockEntry(text: string): string {
  const value = text.slice(text.indexOf(':') + 1);
  if (text.startsWith(SHA256)) {
    if (!/^[0-9a-f]{64}$/iu.test(value))
      throw invalidRequest(`"${value}" is not a SHA-256; it has 64 hexadecimal digits`);
    return `${SHA256}${value.toLowerCase()}`;
  }
  if (!text.startsWith(ADDRESS))
    throw invalidRequest(
      `"${text}" cannot be blocked; write ${SHA256}HEX or ${ADDRESS}CIDR, such as address:203.0.113.0/24`,
    );
  const range = parseAddressRange(value);
  if (!range)
    throw invalidRequest(
      `"${value}" is neither an address nor a range; write it as 203.0.113.7, 203.0.113.0/24 or 2001:db8::/64`,
    );
  if (range.bits === 0) throw invalidRequest(`"${value}" would block everybody`);
  return `${ADDRESS}${formatAddressRange(range)}`;
}

/** Resolves with all entries, sorted. */
export async function readBlockEntries(records: Objects): Promise<string[]> {
  const names = await Array.fromAsync(records.list(PREFIX));
  return names.map((name) => Buffer.from(name.slice(PREFIX.length), 'hex').toString()).sort();
}

/** The name of an entry's record. */
export function blockRecordName(entry: string): string {
  return `${PREFIX}${Buffer.from(entry).toString('hex')}`;
}

import { describe, expect, test } from 'vitest';
import { addressBuckets, ownerOf } from '../../src/network/address-buckets.ts';
import {
  canonicalAddress,
  createRangeMatcher,
  formatAddressRange,
  parseAddressRange,
} from '../../src/network/ip-address.ts';
import { ALL_FILES, fileBuckets } from '../../src/uploads/ledger.ts';
import ADDRESSES from './ip-addresses.json' with { type: 'json' };

const written = (text: string) => {
  const range = parseAddressRange(text);
  return range && formatAddressRange(range);
};

describe('a range of addresses', () => {
  test.each(ADDRESSES.ranges as [string, string][])('that is written %s is %s', (text, normal) => {
    expect(written(text)).toBe(normal);
    expect(written(normal)).toBe(normal);
  });

  test.each(ADDRESSES.noRanges)('is not made of %j', (text) => {
    expect(parseAddressRange(text)).toBeUndefined();
  });
});

describe('a matcher of ranges', () => {
  const matcherOf = (...texts: string[]) => createRangeMatcher(texts.map((text) => parseAddressRange(text)!));

  test('recognizes an address in any form that a socket or a proxy uses', () => {
    const matches = matcherOf('203.0.113.0/24', '2001:db8::/32');
    for (const inside of ['203.0.113.9', '::ffff:203.0.113.9', '203.0.113.9:8080', '[2001:db8::1]:8080'])
      expect(matches(inside), inside).toBe(true);
    for (const outside of ['203.0.112.9', '2001:db9::1', 'unknown', ''])
      expect(matches(outside), outside).toBe(false);
  });
});

describe('requests', () => {
  test.each(ADDRESSES.owners as [string, string][])(
    'of %s count in %s, and its files in the same buckets',
    (address, keys) => {
      const buckets = addressBuckets(address, 40);
      expect(buckets.map(({ key }) => key).join(' ')).toBe(keys);
      expect(buckets.map(({ limit }) => limit)).toEqual([40, 320].slice(0, buckets.length));
      const limits = { ownerBytes: 40, totalBytes: 100 };
      expect(fileBuckets(ownerOf(address), limits)).toEqual([...buckets, { key: ALL_FILES, limit: 100 }]);
    },
  );
});

test.each([
  ['[::ffff:192.0.2.1]:4711', '192.0.2.1'],
  ['[2001:DB8:0::1]:4711', '2001:db8::1'],
  ['nobody', ''],
])('the address %s is stored and logged as "%s"', (address, stored) => {
  expect(canonicalAddress(address)).toBe(stored);
});

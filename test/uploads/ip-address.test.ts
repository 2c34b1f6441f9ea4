import { describe, expect, test } from 'vitest';
import {
  canonicalAddress,
  createRangeMatcher,
  formatAddressRange,
  limiterBuckets,
  overlaps,
  ownerOf,
  parseAddressRange,
} from '../../src/uploads/ip-address.ts';
import { ALL_FILES, fileBuckets } from '../../src/uploads/ledger.ts';

const written = (text: string) => {
  const range = parseAddressRange(text);
  return range && formatAddressRange(range);
};

describe('a range of addresses', () => {
  test.each([
    ['203.0.113.7', '203.0.113.7/32'],
    ['203.0.113.7/24', '203.0.113.0/24'],
    ['10.200.0.0/9', '10.128.0.0/9'],
    ['2001:DB8::1', '2001:db8::1/128'],
    ['2001:db8:1:2:3::/48', '2001:db8:1::/48'],
    ['::ffff:203.0.113.7', '203.0.113.7/32'],
    ['::ffff:10.1.2.3/104', '10.0.0.0/8'],
    ['0.0.0.0/0', '0.0.0.0/0'],
    ['::/0', '::/0'],
  ])('that is written %s is %s', (text, normal) => {
    expect(written(text)).toBe(normal);
    expect(written(normal)).toBe(normal);
  });

  test.each([
    ...['', '/', '203.0.113.7/', '203.0.113.7/33', '203.0.113.7/-1', '203.0.113.7/8/8', '203.0.113.7:80'],
    ...[
      '127.1',
      '017.0.0.1/8',
      '0x7f.0.0.1',
      '1.2.3.4.5',
      'localhost',
      '::1/129',
      '::1%eth0',
      '[::1]',
      '::1/x',
    ],
    ...['::ffff:10.0.0.0/95', '10.0.0.0/1000', 'sha256:00'],
  ])('is not made of %j', (text) => {
    expect(parseAddressRange(text)).toBeUndefined();
  });

  test.each([
    ['203.0.113.0/24', '203.0.113.255', true],
    ['203.0.113.0/24', '203.0.114.0', false],
    ['203.0.113.7', '203.0.113.0/24', true],
    ['2001:db8::5', '2001:db8::/64', true],
    ['2001:db8:0:1::/64', '2001:db8::/64', false],
    ['::/0', '203.0.113.7', false],
    ['::/0', '', false],
  ])('%s overlaps %s: %s', (range, other, expected) => {
    expect(overlaps(parseAddressRange(range)!, other)).toBe(expected);
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
  test.each([
    ['192.0.2.1', '192.0.2.1'],
    ['192.0.2.1:4711', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::FFFF:c000:201', '192.0.2.1'],
    ['0:0:0:0:0:ffff:192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1%eth0', '192.0.2.1'],
    ['[::ffff:192.0.2.1]:4711', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64 2001:db8:1::/48'],
    ['2001:0db8:0000:0000:0000:0000:0000:0001', '2001:db8:0:0::/64 2001:db8:0::/48'],
    ['2001:DB8:0:0:ffff::9', '2001:db8:0:0::/64 2001:db8:0::/48'],
    ['[2001:db8::1]:4711', '2001:db8:0:0::/64 2001:db8:0::/48'],
    ['[2001:db8::1]', '2001:db8:0:0::/64 2001:db8:0::/48'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64 fe80:0:0::/48'],
    ...['', 'unknown', '_hidden', '192.0.2', '0300.0.2.1', '192.0.2.256', '192.0.2.0/24'].map(invalid),
    ...['2001:db8::/64', '1::2::3', 'a[b::1]', '[2001:db8::]1'].map(invalid),
  ])('of %s count in %s, and its files in the same buckets', (address, keys) => {
    const buckets = limiterBuckets(address, 40);
    expect(buckets.map(({ key }) => key).join(' ')).toBe(keys);
    expect(buckets.map(({ limit }) => limit)).toEqual([40, 320].slice(0, buckets.length));
    const limits = { ownerBytes: 40, totalBytes: 100 };
    expect(fileBuckets(ownerOf(address), limits)).toEqual([...buckets, { key: ALL_FILES, limit: 100 }]);
  });

  function invalid(address: string): [string, string] {
    return [address, 'unknown'];
  }
});

test.each([
  ['[::ffff:192.0.2.1]:4711', '192.0.2.1'],
  ['[2001:DB8:0::1]:4711', '2001:db8::1'],
  ['nobody', ''],
])('the address %s is stored and logged as "%s"', (address, stored) => {
  expect(canonicalAddress(address)).toBe(stored);
});

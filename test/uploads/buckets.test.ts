import { describe, expect, it } from 'vitest';
import { canonicalAddress, limiterBuckets, ownerOf } from '../../src/uploads/ip-address.ts';
import { ALL_FILES, fileBuckets } from '../../src/uploads/ledger.ts';

const keysOf = (address: string) => limiterBuckets(address, 40).map(({ key }) => key);

describe('limiterBuckets', () => {
  it('counts IPv4 by address', () => {
    expect(limiterBuckets('192.0.2.1', 40)).toEqual([{ key: '192.0.2.1', limit: 40 }]);
  });

  it('counts IPv6 by /64, and by /48 with eight times the limit', () => {
    expect(limiterBuckets('2001:db8:1:2:3:4:5:6', 40)).toEqual([
      { key: '2001:db8:1:2::/64', limit: 40 },
      { key: '2001:db8:1::/48', limit: 320 },
    ]);
  });

  it.each(['::ffff:192.0.2.1', '::FFFF:c000:201', '0:0:0:0:0:ffff:192.0.2.1', '::ffff:192.0.2.1%eth0'])(
    'counts %s as the IPv4 address that it contains',
    (address) => {
      expect(keysOf(address)).toEqual(['192.0.2.1']);
    },
  );

  it('counts two mapped addresses separately', () => {
    expect(keysOf('::ffff:192.0.2.1')).not.toEqual(keysOf('::ffff:192.0.2.2'));
  });

  it('counts the addresses of one /64 together, however they are written', () => {
    const keys = keysOf('2001:db8::1');
    for (const address of ['2001:DB8:0:0:ffff::9', '2001:0db8:0000:0000:0000:0000:0000:0001']) {
      expect(keysOf(address)).toEqual(keys);
    }
  });

  it('counts two /64 of one /48 separately, and together for the /48', () => {
    const [one, other] = [keysOf('2001:db8:0:1::1'), keysOf('2001:db8:0:2::1')];
    expect(one[0]).not.toBe(other[0]);
    expect(one[1]).toBe(other[1]);
  });

  it('keeps a /48 and the /64 with the same prefix apart', () => {
    const [host, site] = keysOf('2001:db8::1');
    expect(host).not.toBe(site);
  });

  it.each([
    ['fe80::1', 'fe80::1%eth0'],
    ['192.0.2.1', '192.0.2.1:4711'],
    ['2001:db8::1', '[2001:db8::1]:4711'],
    ['2001:db8::1', '[2001:db8::1]'],
    ['192.0.2.1', '[::ffff:192.0.2.1]:4711'],
  ])('counts %s and %s together', (address, sameAddress) => {
    expect(keysOf(sameAddress)).toEqual(keysOf(address));
  });

  it.each([
    '',
    'unknown',
    '_hidden',
    '192.0.2',
    '0300.0.2.1',
    '192.0.2.256',
    '192.0.2.0/24',
    '2001:db8::/64',
    '1::2::3',
    'a[b::1]',
    '[2001:db8::]1',
  ])('counts "%s" together with all invalid addresses', (address) => {
    expect(limiterBuckets(address, 40)).toEqual([{ key: 'unknown', limit: 40 }]);
  });
});

describe('the owner of files', () => {
  it.each([
    ['192.0.2.1:4711', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['nobody', 'unknown'],
  ])('at %s is %s', (address, owner) => {
    expect(ownerOf(address)).toBe(owner);
  });

  it.each(['192.0.2.1', '2001:db8:1:2:3:4:5:6', 'nobody'])(
    'at %s has its quota in the same buckets as its requests',
    (address) => {
      const buckets = fileBuckets(ownerOf(address), { ownerBytes: 40, totalBytes: 100 });
      expect(buckets).toEqual([...limiterBuckets(address, 40), { key: ALL_FILES, limit: 100 }]);
    },
  );
});

it.each([
  ['[::ffff:192.0.2.1]:4711', '192.0.2.1'],
  ['[2001:DB8:0::1]:4711', '2001:db8::1'],
  ['nobody', ''],
])('the address %s is stored and logged as "%s"', (address, stored) => {
  expect(canonicalAddress(address)).toBe(stored);
});

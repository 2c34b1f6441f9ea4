import type { IncomingMessage } from 'node:http';
import { describe, expect, test } from 'vitest';
import { createClientAddress, isProxyRange, type TrustProxy } from '../../src/http/client-address.ts';

function addressOf(trust: TrustProxy, peer: string, forwarded?: string): string {
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
  const request = { socket: { remoteAddress: peer }, headers } as unknown as IncomingMessage;
  return createClientAddress(trust)(request);
}

describe("a client's address", () => {
  test('is that of its connection when no proxy is trusted, whatever the headers say', () => {
    expect(addressOf(null, '192.0.2.1', '198.51.100.7')).toBe('192.0.2.1');
    expect(addressOf(null, '192.0.2.1')).toBe('192.0.2.1');
  });

  test.each<[TrustProxy, string, string]>([
    [1, '198.51.100.7', '198.51.100.7'],
    [1, '6.6.6.6, 198.51.100.7', '198.51.100.7'],
    [2, '6.6.6.6, 198.51.100.7, 10.0.0.2', '198.51.100.7'],
    [3, '6.6.6.6, 198.51.100.7, 10.0.0.3, 10.0.0.2', '198.51.100.7'],
    [1, '2001:db8::1', '2001:db8::1'],
  ])('behind %j hop(s) is counted from the right: %s', (hops, forwarded, address) => {
    expect(addressOf(hops, '10.0.0.1', forwarded)).toBe(address);
  });

  test('is the leftmost address when there are fewer addresses than hops', () => {
    expect(addressOf(3, '10.0.0.1', '198.51.100.7')).toBe('198.51.100.7');
    expect(addressOf(3, '10.0.0.1')).toBe('10.0.0.1');
  });

  test.each([
    ['10.0.0.1', '198.51.100.7', '198.51.100.7'],
    ['::ffff:10.0.0.1', '198.51.100.7', '198.51.100.7'],
    ['10.0.0.1', '6.6.6.6, 198.51.100.7, 10.9.9.9', '198.51.100.7'],
    ['10.0.0.1', '10.0.0.5, 10.0.0.4', '10.0.0.5'],
    ['fd00::1', '198.51.100.7', '198.51.100.7'],
    ['203.0.113.9', '198.51.100.7', '203.0.113.9'],
    ['10.0.0.1', '198.51.100.7, 203.0.113.9', '203.0.113.9'],
    ['10.0.0.1', '198.51.100.7, garbage', 'garbage'],
  ])('behind trusted ranges, from %s with %s, is %s', (peer, forwarded, address) => {
    expect(addressOf(['10.0.0.0/8', 'uniquelocal'], peer, forwarded)).toBe(address);
  });
});

test.each(['10.0.0.0/8', '192.0.2.1', '2001:db8::/32', '::1', 'loopback', 'linklocal', 'uniquelocal'])(
  '%s is a range of proxies',
  (range) => {
    expect(isProxyRange(range)).toBe(true);
  },
);

test.each(['', 'x', '10.0.0.0/33', '10.0.0', '300.0.0.1', 'true', '*'])(
  '"%s" is not a range of proxies',
  (range) => {
    expect(isProxyRange(range)).toBe(false);
  },
);

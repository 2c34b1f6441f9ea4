import { describe, expect, test } from 'vitest';
import { createGuardedLookup, isPrivateHost } from '../../src/network/private-address.ts';

const PRIVATE = [
  '127.0.0.1 127.9.9.9 10.0.0.1 172.16.0.1 172.31.255.255 192.168.1.1 169.254.169.254 0.0.0.0 100.64.0.1',
  '224.0.0.1 255.255.255.255 192.0.0.1 198.18.0.1 240.0.0.1 localhost db.localhost LOCALHOST. [::1] [::]',
  '[::ffff:127.0.0.1] [::ffff:a00:1] [fe80::1] [fd00::1] [ff02::1] [64:ff9b::7f00:1] [64:ff9b:1::1]',
  '[2002:7f00:1::]',
];
const PUBLIC = [
  '1.1.1.1 172.15.0.1 172.32.0.1 192.169.0.1 [2606:4700::1111] [::ffff:1.1.1.1] example.org',
  'localhost.example.org notlocalhost',
];

test.each([
  ...PRIVATE.flatMap((hosts) => hosts.split(' ').map((host) => [host, true] as const)),
  ...PUBLIC.flatMap((hosts) => hosts.split(' ').map((host) => [host, false] as const)),
])('whether the host %s is private: %s', (host, isPrivate) => {
  expect(isPrivateHost(host)).toBe(isPrivate);
});

describe('a guarded lookup', () => {
  const lookUp = (isTrusted: boolean) =>
    new Promise((resolve, reject) => {
      createGuardedLookup(
        () => isTrusted,
        (name) => new Error(`${name} is refused`),
      )('localhost', { all: true }, (error, found) => (error ? reject(error) : resolve(found)));
    });

  test('rejects a private address', async () => {
    await expect(lookUp(false)).rejects.toThrow('localhost is refused');
  });

  test('returns all addresses of a trusted name', async () => {
    expect(await lookUp(true)).toEqual(
      expect.arrayContaining([expect.objectContaining({ address: '127.0.0.1' })]),
    );
  });
});

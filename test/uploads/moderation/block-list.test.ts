import { describe, expect, test } from 'vitest';
import { createBlockList, parseBlockEntry } from '../../../src/uploads/moderation/block-list.ts';

const SHA256 = 'ab'.repeat(32);

describe('a block', () => {
  test.each([
    [`sha256:${SHA256.toUpperCase()}`, `sha256:${SHA256}`],
    ['address:203.0.113.9/24', 'address:203.0.113.0/24'],
    ['address:::ffff:203.0.113.9', 'address:203.0.113.9/32'],
  ])('%s is the entry %s', (text, entry) => {
    expect(parseBlockEntry(text)).toBe(entry);
  });

  test.each([
    ['', 'sha256:HEX or address:CIDR'],
    [SHA256, 'sha256:HEX or address:CIDR'],
    ['md5:abc', 'sha256:HEX or address:CIDR'],
    [`sha256:${SHA256}0`, '64 hexadecimal digits'],
    ['sha256:../../x', '64 hexadecimal digits'],
    ['address:', 'neither an address nor a range'],
    ['address:10.0.0.0/40', 'neither an address nor a range'],
    ['address:0.0.0.0/0', 'would block everybody'],
    ['address:::/0', 'would block everybody'],
  ])('%j is refused with the form to write', (text, message) => {
    expect(() => parseBlockEntry(text)).toThrow(message);
  });

  test('matches bytes or addresses', () => {
    const blocks = createBlockList([`sha256:${SHA256}`, 'address:203.0.113.0/24', 'what is no entry']);
    expect([blocks.hasSha256(SHA256), blocks.hasSha256('00'.repeat(32))]).toEqual([true, false]);
    expect([blocks.hasAddress('::ffff:203.0.113.9'), blocks.hasAddress('203.0.114.9')]).toEqual([
      true,
      false,
    ]);
  });
});

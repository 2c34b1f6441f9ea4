import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { createUploadId, expiryOf, parseUploadId } from '../../src/domain/upload-id.ts';

test.each([1_000_000_000_000, Date.now(), 2_821_109_907_455, 2_821_109_907_456, 9_999_999_999_999])(
  'an id contains its expiry, %i',
  (expiresAt) => {
    for (const random of [Buffer.alloc(16), Buffer.alloc(16, 255), randomBytes(16)]) {
      const id = createUploadId(expiresAt, random);
      expect(expiryOf(id)).toBe(expiresAt);
      expect(parseUploadId(id)).toBe(id);
    }
  },
);

test('an id contains all 128 random bits, in lower case', () => {
  const ids = new Set<string>();
  for (let bit = 0; bit < 128; bit += 1) {
    const random = Buffer.alloc(16);
    random[bit >> 3] = 1 << (bit & 7);
    ids.add(createUploadId(1_700_000_000_000, random));
  }
  expect(ids.size).toBe(128);
  for (const id of ids) expect(id).toMatch(/^[0-9a-z]{33}$/);
});

test('no id is created for an expiry that it could not carry', () => {
  expect(() => createUploadId(Number.NaN, Buffer.alloc(16))).toThrow('expiry');
  expect(() => createUploadId(-1, Buffer.alloc(16))).toThrow('expiry');
});

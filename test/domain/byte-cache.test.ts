import { beforeEach, expect, test } from 'vitest';
import { createByteCache } from '../../src/domain/byte-cache.ts';

let cached: ReturnType<typeof createByteCache>;
let made: string[];

beforeEach(() => {
  cached = createByteCache(300);
  made = [];
});

const get = (key: string, bytes = 100) =>
  cached(key, async () => {
    made.push(key);
    return Buffer.from('x'.repeat(bytes));
  });

test('the cache keeps what was used last, up to its size', async () => {
  for (const key of ['a', 'b', 'c', 'a', 'd', 'a', 'c', 'd', 'b']) await get(key);
  expect(made).toEqual(['a', 'b', 'c', 'd', 'b']);
});

test('what is larger than the cache is not kept, and what is made twice counts once', async () => {
  expect(await get('large', 301)).toHaveLength(301);
  await Promise.all([get('a'), get('a'), get('a')]);
  for (const key of ['b', 'c', 'a', 'b', 'c', 'large']) await get(key);
  expect(made).toEqual(['large', 'a', 'a', 'a', 'b', 'c', 'large']);
});

test('what is kept occupies no more memory than its bytes', async () => {
  expect((await get('a')).buffer.byteLength).toBe(100);
});

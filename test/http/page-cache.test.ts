import { beforeEach, expect, test } from 'vitest';
import { createPageCache } from '../../src/http/uploads/page-cache.ts';

let cached: ReturnType<typeof createPageCache>;
let rendered: string[];

beforeEach(() => {
  cached = createPageCache(300);
  rendered = [];
});

const show = (key: string, bytes = 100) =>
  cached(key, async () => {
    rendered.push(key);
    return 'x'.repeat(bytes);
  });

test('the cache keeps the most recently used pages, up to its size', async () => {
  for (const key of ['a', 'b', 'c', 'a', 'd', 'a', 'c', 'd', 'b']) await show(key);
  expect(rendered).toEqual(['a', 'b', 'c', 'd', 'b']);
});

test('a page that is larger than the cache is not kept, and one that is rendered twice counts once', async () => {
  expect(await show('large', 301)).toHaveLength(301);
  await Promise.all([show('a'), show('a'), show('a')]);
  for (const key of ['b', 'c', 'a', 'b', 'c', 'large']) await show(key);
  expect(rendered).toEqual(['large', 'a', 'a', 'a', 'b', 'c', 'large']);
});

test('a page keeps no more memory than its bytes', async () => {
  expect((await show('a')).buffer.byteLength).toBe(100);
});

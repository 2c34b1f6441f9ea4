import { expect, test } from 'vitest';
import { createPageCache } from '../../src/http/uploads/page-cache.ts';

const PAGE = Buffer.alloc(100);
const AS_OF = 'in 23 hours';
const open = (maxBytes: number) => createPageCache(['id', 'en'], maxBytes);
type Pages = ReturnType<typeof open>;

const add = (pages: Pages, id: string, page = PAGE) => pages.add(id, 'id', AS_OF, page);
const get = (pages: Pages, id: string) => pages.get(id, 'id', AS_OF);

test('the cache keeps the most recently used pages, up to its size', () => {
  const pages = open(300);
  for (const id of ['a', 'b', 'c']) add(pages, id);
  get(pages, 'a');
  add(pages, 'd');
  expect(['a', 'b', 'c', 'd'].filter((id) => get(pages, id))).toEqual(['a', 'c', 'd']);
  expect(pages.bytes).toBe(300);
});

test('a page that is larger than the cache is not kept', () => {
  const pages = open(300);
  add(pages, 'a');
  expect(add(pages, 'b', Buffer.alloc(301))).toHaveLength(301);
  expect([get(pages, 'a'), get(pages, 'b'), pages.bytes]).toEqual([undefined, undefined, 0]);
});

test('a page keeps no more memory than its bytes', () => {
  const pages = open(300);
  const page = Buffer.from('a page in a block of memory that it shares with others');
  expect(page.buffer.byteLength).toBeGreaterThan(page.length);
  add(pages, 'a', page);
  expect(get(pages, 'a')).toEqual(page);
  expect(get(pages, 'a')?.buffer.byteLength).toBe(page.length);
});

test('a page that is removed or replaced frees its bytes', () => {
  const pages = open(300);
  for (let round = 0; round < 10; round += 1) add(pages, 'a');
  expect(pages.bytes).toBe(100);
  pages.remove('a');
  pages.remove('a');
  expect([get(pages, 'a'), pages.bytes]).toEqual([undefined, 0]);
});

test('a page is cached for each language, and removed in all languages', () => {
  const pages = open(300);
  add(pages, 'a');
  expect(pages.get('a', 'en', AS_OF)).toBeUndefined();
  pages.add('a', 'en', AS_OF, PAGE);
  expect(pages.bytes).toBe(200);
  pages.remove('a');
  expect([get(pages, 'a'), pages.get('a', 'en', AS_OF), pages.bytes]).toEqual([undefined, undefined, 0]);
});

test('a page with an outdated expiry text is not used, but replaced', () => {
  const pages = open(300);
  add(pages, 'a');
  expect(pages.get('a', 'id', 'in 22 hours')).toBeUndefined();
  pages.add('a', 'id', 'in 22 hours', PAGE);
  expect([get(pages, 'a'), pages.bytes]).toEqual([undefined, 100]);
});

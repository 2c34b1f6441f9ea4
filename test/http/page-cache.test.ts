import { expect, test } from 'vitest';
import { createPageCache } from '../../src/http/uploads/page-cache.ts';

const PAGE = Buffer.alloc(100);

test('the pages that were used last are kept, up to a number of bytes', () => {
  const pages = createPageCache(300);
  for (const id of ['a', 'b', 'c']) pages.add(id, PAGE);
  pages.get('a');
  pages.add('d', PAGE);
  expect(['a', 'b', 'c', 'd'].filter((id) => pages.get(id))).toEqual(['a', 'c', 'd']);
  expect(pages.bytes).toBe(300);
});

test('a page that is larger than the whole cache is not kept', () => {
  const pages = createPageCache(300);
  pages.add('a', PAGE);
  expect(pages.add('b', Buffer.alloc(301))).toHaveLength(301);
  expect([pages.get('a'), pages.get('b'), pages.bytes]).toEqual([undefined, undefined, 0]);
});

test('a page that is removed, or added again, frees its bytes', () => {
  const pages = createPageCache(300);
  for (let round = 0; round < 10; round += 1) pages.add('a', PAGE);
  expect(pages.bytes).toBe(100);
  pages.remove('a');
  pages.remove('a');
  expect([pages.get('a'), pages.bytes]).toEqual([undefined, 0]);
});

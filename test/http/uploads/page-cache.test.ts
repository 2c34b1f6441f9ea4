import { expect, test } from 'vitest';
import { createPageCache } from '../../../src/http/uploads/page-cache.ts';

test('pages are rendered once, until newer ones need their place', async () => {
  const pageOf = createPageCache(250);
  const rendered: string[] = [];
  const show = (key: string) =>
    pageOf(key, async () => {
      rendered.push(key);
      return key.repeat(100);
    });
  for (const key of ['a', 'b', 'a', 'b', 'c', 'b', 'c', 'a']) await show(key);
  expect(rendered).toEqual(['a', 'b', 'c', 'a']);
  const [first, again] = [await show('a'), await show('a')];
  expect(again.etag).toBe(first.etag);
  expect((await show('b')).etag).not.toBe(first.etag);
});

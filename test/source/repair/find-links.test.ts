import { describe, expect, test, vi } from 'vitest';
import { findLinks, findSharedKeys, judgeFamiliarity } from '../../../src/source/repair/find-links.ts';
import { LINK, listAnime, one, searchIn } from '../support/shelf.ts';

const link = (slug: string) => `<a href="/anime/${slug}">x</a>`;
const links = (...slugs: string[]) => slugs.map(link).join('');

describe('the links to anime', () => {
  test('are those with an attribute that is the address of one, in page order', () => {
    const search = searchIn(
      '<a href="/anime/b">x</a><a href="/x">x</a><p href="/anime/c">x</p><a data-url="/anime/a">x</a><a>x</a>',
    );
    expect(findLinks(search, LINK)).toEqual([
      { element: search.page.find('a')[0], slug: 'b' },
      { element: search.page.find('a')[2], slug: 'a' },
    ]);
  });

  test('are 3,000 at most', () => {
    expect(findLinks(searchIn(link('a').repeat(3_000)), LINK)).toHaveLength(3_000);
    expect(() => findLinks(searchIn(link('a').repeat(3_001)), LINK)).toThrow(
      'the page has more than 3000 links to anime',
    );
  });

  test('are only those whose format yields a text', () => {
    const numeric = { ...LINK, format: { ...LINK.format, parse: () => 1 } };
    expect(findLinks(searchIn(link('a')), numeric)).toEqual([]);
  });
});

describe('a page', () => {
  const judge = (known: number, ...slugs: string[]) => {
    const search = searchIn(links(...slugs), listAnime(known));
    return judgeFamiliarity(search, findLinks(search, LINK));
  };
  const judul = (count: number) => listAnime(count).map(({ slug }) => slug);

  test.each<[string, string, number, string[]]>([
    ['known', 'three links are known', 10, judul(3)],
    ['known', 'half of its links are known', 10, [...judul(3), 'a', 'b', 'c']],
    ['unknown', 'fewer than half of its links are known', 10, [...judul(3), 'a', 'b', 'c', 'd']],
    ['known', 'it has half of the known anime', 6, [...judul(3), 'a', 'b', 'c', 'd', 'e', 'f']],
    ['unknown', 'two links are known', 2, [...judul(2), 'a']],
    ['none', 'it links to two anime', 10, [...judul(2), ...judul(2)]],
    ['unknown', 'it links to three other anime', 10, ['a', 'b', 'c']],
  ])('is %s when %s', (expected, _what, known, slugs) => {
    expect(judge(known, ...slugs)).toBe(expected);
  });
});

describe('the shared key of an element', () => {
  test('is the one anime that all links in it lead to, and null where there are several', () => {
    const search = searchIn(`<div><p>${links('a', 'a')}</p><q>${link('b')}</q></div>`);
    const shared = findSharedKeys(search, findLinks(search, LINK), ({ slug }) => slug);
    const names = [...shared].map(([{ name }, key]) => `${name} ${key}`);
    expect(names.sort()).toEqual(['a a', 'a a', 'a b', 'div null', 'p a', 'q b']);
  });

  test('stays null, whatever comes after', () => {
    const search = searchIn(`<div>${links('a', 'b', 'a')}</div>`);
    const shared = findSharedKeys(search, findLinks(search, LINK), ({ slug }) => slug);
    expect(shared.get(one(search, 'div'))).toBeNull();
  });

  test('is found with as much work as there are elements to be marked', () => {
    const search = searchIn(`<div><div>${link('a').repeat(3)}</div></div>`);
    const items = findLinks(search, LINK);
    const spend = vi.fn();
    findSharedKeys({ ...search, spend }, items, ({ slug }) => slug);
    // Each link, the two elements around the first one, and for the others the element that is marked already.
    expect(spend.mock.calls).toEqual(Array(3 + 2 + 2).fill([1]));
  });
});

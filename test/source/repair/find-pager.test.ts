import { describe, expect, test, vi } from 'vitest';
import { findPager } from '../../../src/source/repair/find-pager.ts';
import { searchIn } from '../support/shelf.ts';

function parsePageNumber(href: string | undefined): number | undefined {
  const number = /^\/page\/(\d+)$/u.exec(href ?? '')?.[1];
  return number === undefined ? undefined : Number(number);
}
const WRITTEN = { pager: '.page', current: '.page.current' };

const link = (number: number, classes = 'n') => `<a class="${classes}" href="/page/${number}">${number}</a>`;
const pager = (inner: string) =>
  `<main><ul><li class=k>${link(9)}</li></ul><nav class=p>${inner}</nav></main>`;

function find(html: string, { asked = 1, written = WRITTEN } = {}) {
  const search = searchIn(html, [], asked);
  const elements = search.page.find('.k');
  return findPager(search, written, parsePageNumber, { frame: 'ul', card: '.k', elements });
}

describe('a pager', () => {
  test('is found by the links to other pages, and the mark of the current one near them', () => {
    expect(find(pager(`<b class=c>1</b>${link(2)}${link(3)}`))).toEqual({ pager: '.p .n', current: '.c' });
    expect(find(pager(`${link(1)}<b class=c>2</b>${link(3)}`), { asked: 2 })).toEqual({
      pager: '.p .n',
      current: '.c',
    });
  });

  test('keeps the written selectors where these match', () => {
    const html = pager(`<b class="page current">1</b>${link(2, 'page')}`);
    expect(find(html)).toEqual(WRITTEN);
    expect(find(html, { written: { pager: '.page', current: '.x' } })).toEqual({
      pager: '.page',
      current: '.current',
    });
    expect(find(html, { written: { pager: '.x', current: '.current' } })).toEqual({
      pager: '.page',
      current: '.current',
    });
  });

  test('is missing where the cards alone have links to other pages', () => {
    expect(find(pager('x'))).toEqual({});
    expect(find('<p>')).toEqual({});
  });

  test('has a hundred links at most', () => {
    const links = (count: number) => pager(`<b class=c>1</b>${link(2).repeat(count)}`);
    expect(find(links(100))).toEqual({ pager: '.p .n', current: '.c' });
    expect(() => find(links(101))).toThrow('the page has more than 100 links to pages of the list');
  });
});

describe('the mark of the current page', () => {
  test('has the number that was asked for, and nothing else', () => {
    expect(() => find(pager(`<b class=c>1</b>${link(2)}`), { asked: 3 })).toThrow(
      'current: no element near the links has the number of page 3',
    );
    expect(() => find(pager(`<b class=c>1.</b>${link(2)}`))).toThrow('current: no element near');
    expect(find(pager(`<b class=c> 1 </b>${link(2)}`))).toMatchObject({ current: '.c' });
  });

  test('is not in a link', () => {
    expect(() => find(pager(`${link(1)}${link(2)}`))).toThrow('current: no element near');
    expect(() => find(pager(`<a class=x href="/page/1"><b>1</b></a>${link(2)}`))).toThrow(
      'current: no element near',
    );
    expect(find(pager(`<b class=c>1</b><a href="/page/1">1</a>${link(2)}`))).toMatchObject({ current: '.c' });
  });

  test('is the only element with its selector', () => {
    expect(find(pager(`<b class=c>1</b><b class="c d">1</b>${link(2)}`))).toMatchObject({ current: '.d' });
    expect(find(`<b class=c>1</b>${pager(`<b class=c>1</b>${link(2)}`)}`)).toMatchObject({
      current: '.p .c',
    });
    const html = pager(`<b class=c>1</b><b class=c>1</b>${link(2)}`);
    expect(() => find(html)).toThrow('current: no element near');
  });

  test('is within four elements of the links', () => {
    const nested = (depth: number) =>
      `<main><ul><li class=k></li></ul><b class=c>1</b>${'<div>'.repeat(depth)}${link(2)}${'</div>'.repeat(depth)}</main>`;
    expect(find(nested(3))).toMatchObject({ current: '.c' });
    expect(() => find(nested(4))).toThrow('current: no element near');
  });

  test('has few nodes', () => {
    const marked = (extra: string) => pager(`<p><b class=c>1${extra}</b></p>${link(2)}`);
    expect(find(marked('<i></i>'.repeat(4)))).toMatchObject({ current: '.c' });
    expect(() => find(marked('<i></i>'.repeat(5)))).toThrow('current: no element near');
  });

  test('is looked for around all links, and not beside one of them', () => {
    const html = pager(`<p><b class=x>1</b>${link(2)}</p><p><b class=y>1</b>${link(3)}</p>`);
    expect(find(html)).toEqual({ current: '.x', pager: 'p .n' });
  });
});

test.each([
  ['deep in the pager', '<p class="e f g h">x', '</p>'],
  ['in the pager', '', ''],
])('sixty selectors are tried at most for a mark %s', (_what, before, after) => {
  const classes = 'a b c d';
  const marks = `${before}<b class="${classes}">1</b>${after}`.repeat(2);
  const search = searchIn(`<nav class="i j k l">${marks}${link(2)}</nav>`);
  const find = vi.fn(search.find);
  const cards = { frame: 'ul', card: '.k', elements: [] };
  expect(() => findPager({ ...search, find }, WRITTEN, parsePageNumber, cards)).toThrow(
    'current: no element near',
  );
  // The links, the written selector, and those of the two marks.
  expect(find).toHaveBeenCalledTimes(1 + 1 + 2 * 60);
});

describe('the selector of the links', () => {
  test('matches all of them, and nothing outside of the pager', () => {
    expect(find(pager(`<b class=c>1</b>${link(2)}${link(3, 'm')}`))).toMatchObject({ pager: '.p a' });
    expect(find(`<p class=n>x</p>${pager(`<b class=c>1</b>${link(2)}`)}`)).toMatchObject({ pager: '.p .n' });
    const other = pager(`<b class=c>1</b>${link(2, 'o')}`);
    expect(find(other)).toMatchObject({ pager: '.o' });
  });

  test('may match other elements of the pager', () => {
    expect(find(pager(`<b class="c o">1</b>${link(2, 'o')}`))).toEqual({ pager: '.o', current: '.c' });
  });

  test('is refused where there is none', () => {
    const html = `<main><ul><li class=k>${link(9)}</li></ul><a href="/page/2">2</a><b class=c>1</b></main><a>x</a><main>x</main>`;
    expect(() => find(html.replace('<a href', '<p><a href').replace('2</a>', '2</a></p>'))).not.toThrow();
    const twice = `<div><ul><li class=k>x</li></ul><b class=c>1</b><a href="/page/2">2</a><i></i></div><div><a>x</a></div>`;
    expect(() => find(twice)).toThrow('pager: no selector matches the links to other pages alone');
  });
});

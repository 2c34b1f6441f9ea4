import { describe, expect, test } from 'vitest';
import {
  findUniqueSelector,
  ownSelectors,
  selectorsWithin,
} from '../../../src/source/repair/element-selectors.ts';
import { one, searchIn } from '../support/shelf.ts';

const own = (html: string, selector = 'p') => [...ownSelectors(one(searchIn(html), selector))];

describe('the selectors of an element', () => {
  test('come from its classes, its meaningful attributes and its tag', () => {
    expect(own('<p>')).toEqual(['p']);
    expect(own('<p class="a">')).toEqual(['.a', 'p.a', 'p']);
    expect(own('<p class=" a  b " datetime=x title=y>')).toEqual([
      '.a',
      '.b',
      'p.a',
      'p.b',
      '.a.b',
      'p[datetime]',
      'p',
    ]);
    const attributes = [
      'aria-current',
      'itemprop',
      'datetime',
      'data-title',
      'data-episode',
      'data-day',
      'data-date',
    ];
    expect(own(`<p ${attributes.map((name) => `${name}=x`).join(' ')}>`)).toEqual([
      ...attributes.map((name) => `p[${name}]`),
      'p',
    ]);
    expect(own('<p itemprop>')).toEqual(['p[itemprop]', 'p']);
  });

  test('come from four classes at most, and from none that a selector cannot have', () => {
    expect(own('<p class="a b c d e">')).toEqual([
      '.a',
      '.b',
      '.c',
      '.d',
      'p.a',
      'p.b',
      'p.c',
      'p.d',
      '.a.b.c.d',
      'p',
    ]);
    expect(own('<p class="a:b c]">')).toEqual(['p']);
    expect(own(`<p class="${' '.repeat(999)}ab">`)).toContain('.a');
  });

  test('are its classes alone where its tag cannot be one', () => {
    expect(own('<x:y class=a>', '.a')).toEqual(['.a']);
    expect(own('<x:y class="a b">', '.a')).toEqual(['.a', '.b']);
  });
});

describe('the selectors of an element in a container', () => {
  const within = (html: string, element: string, container: string) => {
    const search = searchIn(html);
    return [...selectorsWithin(search, one(search, element), one(search, container))];
  };

  test('are its own, those below each ancestor, and its path', () => {
    expect(within('<ul><li class=c><p></p><p><b class=x>', 'b', 'ul')).toEqual([
      '.x',
      'b.x',
      'b',
      'p .x',
      'p b.x',
      'p b',
      ...['.c', 'li.c', 'li'].flatMap((outer) => ['.x', 'b.x', 'b'].map((inner) => `${outer} ${inner}`)),
      '& > li:nth-child(1) > p:nth-child(2) > b:nth-child(1)',
    ]);
  });

  test('are its own and its path where it is a child, and its own where it is the container', () => {
    expect(within('<ul><li></li><li class=x>', '.x', 'ul').slice(-2)).toEqual(['li', '& > li:nth-child(2)']);
    expect(within('<ul><li class=x>', 'li', 'li')).toEqual(['.x', 'li.x', 'li']);
  });

  test('are below three ancestors at most', () => {
    const selectors = within('<main><i><u><s><q><b>', 'b', 'main');
    expect(selectors).toContain('u b');
    expect(selectors).not.toContain('i b');
  });

  test('have a path of eight steps at most, and of tags alone', () => {
    const nested = (depth: number) => within(`<main>${'<div>'.repeat(depth - 1)}<q>`, 'q', 'main').at(-1);
    expect(nested(8)).toBe(`& > ${'div:nth-child(1) > '.repeat(7)}q:nth-child(1)`);
    expect(nested(9)).toBe('div q');
    expect(within('<main><x:y class=a><q>', 'q', 'main')).toEqual(['q', '.a q']);
    expect(within('<main><x:y class=a>', '.a', 'main')).toEqual(['.a']);
  });
});

describe('a selector that matches an element alone', () => {
  const unique = (html: string, selector: string) => {
    const search = searchIn(html);
    return findUniqueSelector(search, one(search, selector));
  };

  test('is its id, else one of its own, else one below its parent', () => {
    expect(unique('<p id=x class=a>', 'p')).toBe('#x');
    expect(unique('<p id="x y" class=a>', 'p')).toBe('.a');
    expect(unique('<p class=a></p><b class=a>', 'b')).toBe('b.a');
    expect(unique('<div class=d><p class=a></p></div><p class=a>', '.d p')).toBe('.d .a');
    expect(unique('<div id=d class=e><p></p></div><p>', '.e p')).toBe('.e p');
  });

  test('is none where others have the same', () => {
    expect(unique('<p class=a></p><p class=a>', 'p')).toBeUndefined();
    expect(unique('<p id=x></p><p id=x>', 'p')).toBeUndefined();
  });

  test('is its own at the root of the page', () => {
    expect(unique('<p><b>', 'p')).toBe('p');
  });
});

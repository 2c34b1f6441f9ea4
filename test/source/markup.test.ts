import { describe, expect, test } from 'vitest';
import { splitLocation } from '../../src/source/field-format.ts';
import { parseMarkup } from '../../src/source/markup/page.ts';

const PAGE = parseMarkup(
  '<div id="list" class="a b"><p class="x y">1</p><p>2</p><section><p data-day="3">3</p></section></div><p class="x">4</p>',
);

function textsAt(selector: string, scope?: string): string[] {
  const scopes = scope === undefined ? undefined : new Set(PAGE.find(scope));
  return PAGE.find(selector, scopes).map(({ children: [text] }) => (text && 'data' in text ? text.data : ''));
}

describe('a selector finds elements in page order', () => {
  test.each([
    ['p', ['1', '2', '3', '4']],
    ['.x', ['1', '4']],
    ['p.x.y', ['1']],
    ['#list p', ['1', '2', '3']],
    ['.a section p', ['3']],
    ['div > p', ['1', '2']],
    ['p[data-day]', ['3']],
    ['p:nth-child(2)', ['2', '4']],
    ['.none p', []],
  ])('%s', (selector, texts) => {
    expect(textsAt(selector)).toEqual(texts);
  });

  test('by their place in an element that is searched', () => {
    expect(textsAt('& > p:nth-child(1)', 'section')).toEqual(['3']);
    expect(textsAt('& > section:nth-child(3) > p:nth-child(1)', '.a')).toEqual(['3']);
    expect(textsAt('& > p:nth-child(1)', 'p')).toEqual([]);
  });
});

test('a location names the attribute that has the value', () => {
  expect(splitLocation('.cover img@data-src')).toEqual({ selector: '.cover img', attribute: 'data-src' });
  expect(splitLocation('.cover img')).toEqual({ selector: '.cover img', attribute: undefined });
});

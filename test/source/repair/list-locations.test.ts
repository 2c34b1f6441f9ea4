import { expect, test, vi } from 'vitest';
import { listLocations } from '../../../src/source/repair/find-field.ts';
import type { KnownCard } from '../../../src/source/repair/known-card.ts';
import { EPISODE, listAnime, searchIn, TITLE } from '../support/shelf.ts';

function scene(cards: string[]) {
  const known = listAnime(cards.length);
  const search = searchIn(cards.map((one) => `<li>${one}</li>`).join(''), known);
  const found = search.page
    .find('li')
    .map((element, at): KnownCard => ({ element, before: known[at], now: { slug: known[at]?.slug ?? '' } }));
  return { search, found };
}

const locations = (cards: string[], field = TITLE) => {
  const { search, found } = scene(cards);
  return listLocations(search, field, found);
};

test('the locations of plausible values are listed, the most frequent first', () => {
  expect(
    locations([
      '<b class=t>Judul 1</b><i title="Judul 1"></i>',
      '<b class=t>Judul 2</b>',
      '<b class=t>Judul 3</b><b>Judul 9</b>',
    ]),
  ).toEqual(['.t', 'b.t', 'b', '& > b:nth-child(1)', 'i@title', '& > i:nth-child(2)@title']);
});

test('of nested elements with the value in their texts, the innermost is listed', () => {
  const found = locations(['<p class=outer><b class=t>Judul 1</b></p>']);
  expect(found).toContain('.t');
  expect(found).not.toContain('.outer');
  expect(found).toContain('.outer .t');
});

test('an attribute around an element with the value is listed all the same', () => {
  expect(locations(['<p title="Judul 1" class=outer><b>Judul 1</b></p>'])).toContain('.outer@title');
  expect(locations(['<p class=outer><b title="Judul 1">Judul 1</b></p>'])).not.toContain('.outer');
  expect(locations(['<p class=outer>Judul 1<b title="Judul 1"></b></p>'])).toContain('.outer');
});

test('a selector counts once for each place', () => {
  const cards = ['<b class="x x">Judul 1</b>', '<i class=y>Judul 2</i>', '<i class=y>Judul 3</i>'];
  const found = locations(cards);
  expect(found[0]).toBe('.y');
  expect(found.filter((one) => one === '.x')).toHaveLength(1);
});

test('the values of eight cards are looked at, and forty locations listed', () => {
  const cards = listAnime(20).map(({ title }, at) => `<b class=t${at + 1}>${title}</b>`);
  const found = locations(cards);
  expect(found.filter((one) => /^\.t\d+$/u.test(one))).toEqual(
    [1, 3, 6, 8, 11, 13, 16, 18].map((at) => `.t${at}`),
  );
  expect(
    locations(listAnime(8).map(({ title }) => `<u class="a b c d"><b class="e f g h">${title}</b></u>`)),
  ).toHaveLength(40);
});

test('each selector costs work', () => {
  const { search, found } = scene(['<b>Judul 1</b>']);
  const spend = vi.fn();
  listLocations({ ...search, spend }, TITLE, found);
  const spent = spend.mock.calls.reduce((sum, [work]) => sum + work, 0);
  // Two selectors, `b` and its path, and the elements of the card.
  expect(spent).toBe(2 * 2 + search.sizeOf(found[0]!.element));
});

test('nothing is listed where no value is plausible', () => {
  expect(locations(['<b>Judul 2</b>'])).toEqual([]);
  expect(locations(['<b>Judul 1</b>'], EPISODE)).toEqual([]);
});

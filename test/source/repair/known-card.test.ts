import { expect, test } from 'vitest';
import {
  isPlausible,
  type KnownCard,
  readAll,
  refuseForeign,
} from '../../../src/source/repair/known-card.ts';
import { type Anime, listAnime, makeAnime, one, searchIn, TITLE } from '../support/shelf.ts';

test('all values of a format are read, from each element and attribute', () => {
  const search = searchIn(
    '<p title="Judul 1" class="Judul 9"><b>Judul 2</b><i data-x="Judul 3" data-y="x">x</i></p><b>Judul 4</b>',
  );
  expect(readAll(search, TITLE.format, one(search, 'p'))).toEqual(['Judul 1', 'Judul 2', 'Judul 3']);
});

test('a value is plausible on the card of a known anime alone, with the fields that were found before', () => {
  const [before] = listAnime(1);
  const card = { before, now: { slug: 'judul-1' } } as KnownCard;
  expect(isPlausible(TITLE, card, 'Judul 1')).toBe(true);
  expect(isPlausible(TITLE, card, 'Judul 2')).toBe(false);
  expect(isPlausible(TITLE, card, undefined)).toBe(false);
  expect(isPlausible({ ...TITLE, isPlausible: () => true }, card, undefined)).toBe(false);
  expect(isPlausible({ ...TITLE, isPlausible: () => true }, { ...card, before: undefined }, 'Judul 1')).toBe(
    false,
  );
  const seen: unknown[] = [];
  isPlausible({ ...TITLE, isPlausible: (...args) => Boolean(seen.push(...args)) }, card, 'Judul 2');
  expect(seen).toEqual([{ slug: 'judul-1', title: 'Judul 2' }, before]);
});

/** Refuses cards with these texts, which were those of the anime 1, 2, … */
function refuse(texts: string[], known: Anime[] = listAnime(texts.length), newFrom = texts.length) {
  const search = searchIn(texts.map((text) => `<p>${text}</p>`).join(''), known);
  const cards = search.page.find('p').map((element, at): KnownCard => {
    const before = at < newFrom ? known[at] : undefined;
    return { element, before, now: { slug: before?.slug ?? 'baru' } };
  });
  refuseForeign(search, TITLE, cards);
}

const titles = (count: number) => listAnime(count).map(({ title }) => title);

test('a field is refused when more than a tenth of the known cards have that of another anime', () => {
  expect(() => refuse(titles(10))).not.toThrow();
  expect(() => refuse(titles(10).with(0, 'Judul 2'))).not.toThrow();
  expect(() => refuse(titles(10).with(0, 'Judul 2').with(1, 'Judul 1'))).toThrow(
    'title: 2 of 10 known cards have the title of another anime',
  );
  expect(() => refuse(titles(9).with(0, 'Judul 2'))).toThrow('title: 1 of 9 known cards');
});

test('a value anywhere in a card counts', () => {
  expect(() => refuse(titles(3).with(0, '<b>Judul 1</b><i>Judul 2</i>'))).toThrow('title: 1 of 3');
});

test('a new value, or one that several anime had, is not that of another anime', () => {
  expect(() => refuse(titles(3).with(0, 'Judul 99').with(1, 'x'))).not.toThrow();
  const twice = [makeAnime(1), makeAnime(2), { ...makeAnime(3), title: 'Judul 2' }];
  expect(() => refuse(titles(3).with(0, 'Judul 2'), twice)).not.toThrow();
});

test('cards of anime that are not known are not judged', () => {
  expect(() => refuse(['Judul 1', 'Judul 2', 'Judul 1'], listAnime(3), 2)).not.toThrow();
});

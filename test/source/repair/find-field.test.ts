import { describe, expect, test } from 'vitest';
import { elementsAt, findField } from '../../../src/source/repair/find-field.ts';
import type { KnownCard } from '../../../src/source/repair/known-card.ts';
import type { FieldModel } from '../../../src/source/repair/page-model.ts';
import { type Anime, EPISODE, listAnime, one, searchIn, TITLE } from '../support/shelf.ts';

const ANIME = listAnime(10);

/** A page with such a card for each anime; the last ones are new. */
function scene(make: (anime: Anime, at: number) => string, { anime = ANIME, newOnes = 0 } = {}) {
  const search = searchIn(anime.map((one, at) => `<li>${make(one, at)}</li>`).join(''), anime);
  const cards = search.page.find('li').map((element, at): KnownCard => {
    const { slug = '' } = anime[at] ?? {};
    const before = at < anime.length - newOnes ? anime[at] : undefined;
    return { element, before, now: { slug } };
  });
  return { search, cards };
}

function locate(
  make: (anime: Anime, at: number) => string,
  {
    field = TITLE as FieldModel,
    original = '.title',
    ...more
  }: { field?: FieldModel; original?: string; newOnes?: number } = {},
): string {
  const { search, cards } = scene(make, more);
  return findField(search, field, original, cards);
}

const bold = ({ title }: Anime) => `<b class=t>${title}</b>`;

describe('a field', () => {
  test('keeps its written location where that agrees, however many others do', () => {
    expect(locate(({ title }) => `<i class=x>${title}</i><b class=title>${title}</b>`)).toBe('.title');
  });

  test('is found where its values agree with the last good listing', () => {
    expect(locate(bold)).toBe('.t');
    expect(locate(({ title }) => `<img title="${title}"><b>x</b>`)).toBe('img@title');
  });

  test('fills the records of the cards', () => {
    const { search, cards } = scene((anime, at) => (at === 9 ? '' : bold(anime)));
    findField(search, TITLE, '.title', cards);
    expect(cards.map(({ now }) => now)).toEqual([
      ...ANIME.slice(0, 9).map(({ slug, title }) => ({ slug, title })),
      { slug: 'judul-10' },
    ]);
    const written = scene(bold);
    findField(written.search, TITLE, '.t', written.cards);
    expect(written.cards[3]?.now).toEqual({ slug: 'judul-4', title: 'Judul 4' });
  });

  test('agrees on nine of ten known cards, and has a value on nine of ten cards', () => {
    const other = (count: number) => (anime: Anime, at: number) =>
      at < count ? '<b class=t>Judul 99</b>' : bold(anime);
    expect(locate(other(1))).toBe('.t');
    expect(() => locate(other(2))).toThrow(
      'title: at most 8 of 10 known cards agree with the last good list',
    );
    const without = (count: number) => (anime: Anime, at: number) => (at > 9 - count ? '' : bold(anime));
    expect(locate(without(1), { newOnes: 2 })).toBe('.t');
    expect(() => locate(without(2), { newOnes: 2 })).toThrow('title: at most 8 of 8');
    expect(() => locate(other(2), { original: '.t' })).toThrow('at most 8 of 10');
    expect(() => locate(() => '<b>x</b>')).toThrow(
      'title: nothing in the cards agrees with the last good list',
    );
  });

  test('has values on the new cards as well', () => {
    expect(locate(bold, { newOnes: 3 })).toBe('.t');
  });

  test('is read once in each card', () => {
    expect(() =>
      locate((anime) => `${bold(anime)}<b class=t>x</b>`.replaceAll('b class=t', 'b')),
    ).not.toThrow();
    expect(locate((anime) => `${bold(anime)}<b class=t>x</b>`)).toBe('& > b:nth-child(1)');
  });
});

describe('of several locations', () => {
  test('the one that agrees on more cards counts', () => {
    const make = (anime: Anime, at: number) =>
      `<i class=a>${at === 0 ? 'Judul 99' : anime.title}</i><b class=b>${anime.title}</b>`;
    expect(locate(make)).toBe('.b');
    expect(locate((anime, at) => make(anime, at).replace('<i', '<u').replace('</i', '</u'))).toBe('.b');
  });

  test('the one with values on more cards counts', () => {
    const make = (anime: Anime, at: number) =>
      `${at > 8 ? '' : `<i class=a>${anime.title}</i>`}<b class=b>${anime.title}</b>`;
    expect(locate(make, { newOnes: 1 })).toBe('.b');
  });

  test('a text comes before an attribute, a class before a tag, and a name before a position', () => {
    expect(locate(({ title }) => `<i class=a title="${title}">x</i><b>${title}</b>`)).toBe('b');
    expect(locate(({ title }) => `<i>${title}</i><b class=b>${title}</b>`)).toBe('.b');
    expect(locate(({ title }) => `<p class=p><i>${title}</i></p>`)).toBe('.p i');
    expect(locate(({ title }) => `<i class=a>x</i><i>${title}</i>`)).toBe('& > i:nth-child(2)');
    expect(locate(({ title }) => `<i>x</i><i class=a title="${title}">x</i>`)).toBe('.a@title');
    expect(locate(({ title }) => `<i>x</i><i>${title}</i><b title="${title}"></b>`)).toBe('b@title');
    expect(locate(({ title }) => `<p class=p><b class=t>${title}</b></p>`)).toBe('.t');
  });

  test('two that differ on a new card are refused', () => {
    const make = (anime: Anime, at: number) =>
      `<i class=a>${at === 9 ? 'Judul 99' : anime.title}</i><b class=b>${anime.title}</b>`;
    expect(() => locate(make, { newOnes: 1 })).toThrow('title: .b and .a have different values');
    const less = (anime: Anime, at: number) => (at === 9 ? `<b class=b>${anime.title}</b>` : make(anime, at));
    expect(locate(less, { newOnes: 1 })).toBe('.b');
  });
});

describe('a field whose value is the same on all known cards', () => {
  const make = () => '<b class=e>Ep 1</b>';
  const sameOn = (extra: (at: number) => string, field: FieldModel = EPISODE) => {
    const anime = ANIME.map((one) => ({ ...one, episode: 'Ep 1' }));
    const { search, cards } = scene((_, at) => make() + extra(at), { anime });
    return findField(search, field, '.episode', cards);
  };

  test('is found where no other value has its format', () => {
    expect(sameOn(() => '<i>x</i>')).toBe('.e');
    expect(sameOn(() => '<i title="Ep 1">x</i>')).toBe('.e');
  });

  test('is refused where another value has, on any card', () => {
    const reason = 'episode: all known cards have the same value, and contain other values of this format';
    expect(() => sameOn((at) => (at === 4 ? '<i>Ep 2</i>' : ''))).toThrow(reason);
    expect(() => sameOn((at) => (at === 4 ? '<i data-x="Ep 2">x</i>' : ''))).toThrow(reason);
  });

  test('is no doubt where the values differ, or each anime has its own', () => {
    expect(locate(({ episode }) => `<b class=e>${episode}</b><i>Ep 9</i>`, { field: EPISODE })).toBe('.e');
  });
});

test('a field with two values on the known cards is found, although another value has its format', () => {
  const anime = ANIME.map((one, at) => ({ ...one, episode: `Ep ${at % 2}` }));
  const { search, cards } = scene(({ episode }) => `<b class=e>${episode}</b><i>Ep 9</i>`, { anime });
  expect(findField(search, EPISODE, '.episode', cards)).toBe('.e');
});

test('a unique field is refused when the cards have those of other anime', () => {
  const next = (_: Anime, at: number) => bold(ANIME[(at + 1) % 10]!);
  expect(() => locate(next)).toThrow('title: 10 of 10 known cards have the title of another anime');
  const shared: FieldModel = { ...TITLE, isUnique: false };
  expect(() => locate(next, { field: shared })).toThrow('title: nothing in the cards agrees');
});

describe('the elements at a location', () => {
  test('are those of cards with exactly one, outside of a noscript', () => {
    const search = searchIn(
      '<li><b>1</b></li><li><b>2</b><b>3</b></li><li>x</li><li><i><noscript><b>4</b></noscript></i><b>5</b></li><b>6</b>',
    );
    const cards = search.page
      .find('li')
      .map((element): KnownCard => ({ element, before: undefined, now: { slug: '' } }));
    const texts = [...elementsAt(search, 'b@title', cards)].map(([card, { children }]) => [
      cards.findIndex(({ element }) => element === card),
      (children[0] as { data?: string }).data,
    ]);
    expect(texts).toEqual([
      [0, '1'],
      [3, '5'],
    ]);
  });

  test('may be the card itself, or a child at a position', () => {
    const search = searchIn('<li class=c><b>1</b></li>');
    const card = { element: one(search, 'li'), before: undefined, now: { slug: '' } };
    expect([...elementsAt(search, '.c', [card]).values()]).toEqual([card.element]);
    expect([...elementsAt(search, '& > b:nth-child(1)', [card]).values()]).toEqual([one(search, 'b')]);
  });
});

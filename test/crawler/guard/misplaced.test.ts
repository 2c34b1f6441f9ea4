import { expect, test } from 'vitest';
import { findMisplaced, mayBeCorrection } from '../../../src/crawler/guard/misplaced.ts';
import type { OngoingAnime } from '../../../src/domain/listing.ts';
import { makeAnime } from '../../support/fake-source.ts';

const BEFORE = [1, 2, 3, 4].map(makeAnime);
const [one, two, three, four] = BEFORE as [OngoingAnime, OngoingAnime, OngoingAnime, OngoingAnime];

const misplaced = (listed: OngoingAnime[], before = BEFORE) => {
  const { titles, covers } = findMisplaced(listed, before);
  return { titles: [...titles], covers: [...covers] };
};

test('nothing is misplaced on the same list, or on one whose anime are all new', () => {
  expect(misplaced(BEFORE)).toEqual({ titles: [], covers: [] });
  expect(misplaced([makeAnime(5), makeAnime(6)])).toEqual({ titles: [], covers: [] });
  expect(misplaced(BEFORE, [])).toEqual({ titles: [], covers: [] });
});

test('titles and covers that were exchanged are misplaced', () => {
  const titles = [{ ...one, title: two.title }, { ...two, title: one.title }, three, four];
  expect(misplaced(titles)).toEqual({ titles: ['judul-1', 'judul-2'], covers: [] });
  const covers = [one, two, { ...three, image: four.image }, { ...four, image: three.image }];
  expect(misplaced(covers)).toEqual({ titles: [], covers: ['judul-3', 'judul-4'] });
});

test('a title that no other anime had, and a cover that none had, are new and not misplaced', () => {
  expect(misplaced([{ ...one, title: 'Lain', image: 'https://one.example/lain.jpg' }, two])).toEqual({
    titles: [],
    covers: [],
  });
});

test('the title of a new anime is not misplaced, although another one had it', () => {
  expect(misplaced([{ ...makeAnime(5), title: one.title }])).toEqual({ titles: [], covers: [] });
});

test('the cover of a new anime is misplaced when its owner has another one now', () => {
  const taken = { ...makeAnime(5), image: one.image };
  expect(misplaced([taken, { ...one, image: 'https://one.example/lain.jpg' }]).covers).toEqual(['judul-5']);
  expect(misplaced([taken, one]).covers).toEqual([]);
  expect(misplaced([taken]).covers).toEqual([]);
});

test('a cover that several anime had belongs to none of them', () => {
  const before = [one, { ...two, image: one.image }, three];
  expect(
    misplaced(
      [
        { ...three, image: one.image },
        { ...one, image: three.image },
      ],
      before,
    ).covers,
  ).toEqual(['judul-1']);
});

test('two misplaced values may be a correction, and three may not', () => {
  expect(mayBeCorrection(new Set(['a', 'b']))).toBe(true);
  expect(mayBeCorrection(new Set(['a', 'b', 'c']))).toBe(false);
});

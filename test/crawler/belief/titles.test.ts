import { expect, test } from 'vitest';
import {
  areSimilar,
  coverKey,
  coverPath,
  sharesWord,
  slugKey,
  titleKey,
} from '../../../src/crawler/belief/titles.ts';
import CASES from './titles.json' with { type: 'json' };

type Pair = [one: string, other: string, is: boolean];

test.each(CASES.titleKey)('the key of the title "%s" is %s', (title = '', key) => {
  expect(titleKey(title)).toBe(key);
});

test.each(CASES.slugKey)('the key of the slug %s is %s', (slug = '', key) => {
  expect(slugKey(slug)).toBe(key);
});

test.each(CASES.cover)('the cover %s has the path %s, and the key of its title', (image = '', path) => {
  expect(coverPath(image)).toContain(path);
  expect(coverKey(image)).toBe('kucingdankebun');
});

test.each(CASES.areSimilar as Pair[])(
  'keys with six tenths of the same pairs are similar: %s, %s',
  (one, other, is) => {
    expect([areSimilar(one, other), areSimilar(other, one)]).toEqual([is, is]);
  },
);

test.each(CASES.sharesWord as Pair[])(
  'a slug and a title share a word of three letters: %s, %s',
  (slug, title, is) => {
    expect(sharesWord(slug, title)).toBe(is);
  },
);

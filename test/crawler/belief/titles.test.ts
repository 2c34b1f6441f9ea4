import { expect, test } from 'vitest';
import { areSimilar, titleKey } from '../../../src/crawler/belief/titles.ts';
import CASES from './titles.json' with { type: 'json' };

type Pair = [one: string, other: string, is: boolean];

test.each(CASES.titleKey)('the key of the title "%s" is %s', (title = '', key) => {
  expect(titleKey(title)).toBe(key);
});

test.each(CASES.areSimilar as Pair[])(
  'keys with six tenths of the same pairs are similar: %s, %s',
  (one, other, is) => {
    expect([areSimilar(one, other), areSimilar(other, one)]).toEqual([is, is]);
  },
);

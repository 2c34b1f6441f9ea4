import { expect, test } from 'vitest';
import {
  areSimilar,
  coverKey,
  coverPath,
  sharesWord,
  slugKey,
  titleKey,
} from '../../../src/crawler/belief/titles.ts';

test.each([
  ['Kucing, dan  KEBUN! 2', 'kucingdankebun2'],
  ['Café Ōji', 'cafeoji'],
  ['ＡＢＣ', 'abc'],
  ...['Sub Ind', 'Sub Indo', 'Subtitle Indonesia', 'Subtittle Indo', 'Subtle Indo', 'Indo', 'Indonesia'].map(
    (suffix) => [`Kucing ${suffix}`, 'kucing'],
  ),
  ['Indonesia Merdeka', 'indonesiamerdeka'],
  ['Sub Indo 2', 'subindo2'],
  ['Subtropis Indo', 'subtropis'],
  ['Sub Indo', 'subindo'],
  [' !!! ', '!!!'],
])('the key of the title "%s" is %s', (title, key) => {
  expect(titleKey(title)).toBe(key);
});

test.each([
  ['kucing-dan-kebun-sub-indo', 'kucingdankebun'],
  ['%e6%9c%a8-2', '木2'],
  ['100%-kucing', '100kucing'],
])('the key of the slug %s is %s', (slug, key) => {
  expect(slugKey(slug)).toBe(key);
});

test.each([
  ['https://one.example/wp/2026/12/Kucing-dan-Kebun.jpg?x=1', '2026/12/Kucing-dan-Kebun.jpg'],
  ['https://two.example/other/2026/12/Kucing-dan-Kebun-225x318.jpg', '2026/12/Kucing-dan-Kebun.jpg'],
  ['covers/2026/12/Kucing%20dan-Kebun-225x318.webp', '2026/12/Kucing%20dan-Kebun.webp'],
])('the cover %s has the path %s, and the key of its title', (image, path) => {
  expect(coverPath(image)).toContain(path);
  expect(coverKey(image)).toBe('kucingdankebun');
});

test.each([
  ['a', 'a', true],
  ['abcde', 'abcdf', true],
  ['abcd', 'abce', false],
  ['abcde', 'edcba', false],
  ['a', 'b', false],
  ['abc', '', false],
])(
  'two keys are similar when six tenths of their pairs of letters are the same: %s, %s',
  (one, other, is) => {
    expect([areSimilar(one, other), areSimilar(other, one)]).toEqual([is, is]);
  },
);

test.each([
  ['kucing-dan-kebun', 'Kebun Raya', true],
  ['caf%C3%A9', 'Cafe', true],
  ['subaru', 'Subaru no Hoshi', true],
  ['kucing-kebun', 'Anjing', false],
  ['no-kucing', 'No Anjing', false],
  ['kucing-subtitle-indonesia', 'Anjing Subtitle Indonesia', false],
  ['--', 'Anjing', false],
])('a slug and a title share a word of three letters, other than the suffix: %s, %s', (slug, title, is) => {
  expect(sharesWord(slug, title)).toBe(is);
});

import { describe, expect, test } from 'vitest';
import {
  areSimilar,
  coverKey,
  coverPath,
  sharesWord,
  slugKey,
  titleKey,
} from '../../../src/crawler/belief/titles.ts';

describe('the key of a title', () => {
  test.each([
    ['case, punctuation and white space', 'Kucing, dan  KEBUN! 2', 'kucingdankebun2'],
    ['accents', 'Café Ōji', 'cafeoji'],
    ['full width', 'ＡＢＣ', 'abc'],
  ])('ignores %s', (_what, title, key) => {
    expect(titleKey(title)).toBe(key);
  });

  test.each([
    'Sub Ind',
    'Sub Indo',
    'Subtitle Indonesia',
    'Subtittle Indo',
    'Subtle Indo',
    'Indo',
    'Indonesia',
  ])('ignores "%s" at its end', (suffix) => {
    expect(titleKey(`Kucing ${suffix}`)).toBe('kucing');
  });

  test('keeps words of the suffix that do not end the title', () => {
    expect(titleKey('Indonesia Merdeka')).toBe('indonesiamerdeka');
    expect(titleKey('Sub Indo 2')).toBe('subindo2');
    expect(titleKey('Subtropis Indo')).toBe('subtropis');
  });

  test('is the text where nothing else is left of it', () => {
    expect(titleKey('Sub Indo')).toBe('subindo');
    expect(titleKey(' !!! ')).toBe('!!!');
  });
});

test('the key of a slug is that of the title, also where the slug is escaped or cannot be', () => {
  expect(slugKey('kucing-dan-kebun-sub-indo')).toBe('kucingdankebun');
  expect(slugKey('%e6%9c%a8-2')).toBe('木2');
  expect(slugKey('100%-kucing')).toBe('100kucing');
});

describe('a cover', () => {
  test.each([
    ['an address', 'https://one.example/2026/12/Kucing-dan-Kebun.jpg'],
    ['another size', 'https://one.example/2026/12/Kucing-dan-Kebun-225x318.webp'],
    ['escapes', 'https://one.example/Kucing%20dan%20Kebun.jpg'],
    ['no folders', 'Kucing-dan-Kebun.jpg'],
  ])('has the key of the title that its file is named after: %s', (_what, image) => {
    expect(coverKey(image)).toBe('kucingdankebun');
  });

  test('has a key without its extension only', () => {
    expect(coverKey('https://one.example/kucing.v2.jpg')).toBe('kucingv2');
  });

  test('keeps its path when the host, the folders above the month or the size change', () => {
    expect(coverPath('https://one.example/wp-content/uploads/2026/12/a.jpg?x=1')).toBe('2026/12/a.jpg');
    expect(coverPath('https://two.example/other/2026/12/a-225x318.jpg')).toBe('2026/12/a.jpg');
    expect(coverPath('covers/2026/12/a-225x318.jpg')).toBe('2026/12/a.jpg');
  });

  test('has a size only right before its extension', () => {
    expect(coverPath('a-225x318-b.jpg')).toBe('a-225x318-b.jpg');
    expect(coverPath('a-225x318.v2.jpg')).toBe('a-225x318.v2.jpg');
    expect(coverPath('a-225x318')).toBe('a-225x318');
  });
});

describe('two keys', () => {
  test.each([
    ['equal ones', 'a', 'a', true],
    ['three of five pairs', 'abcde', 'abcdf', true],
    ['two of four pairs', 'abcd', 'abce', false],
    ['the same letters in another order', 'abcde', 'edcba', false],
    ['keys without pairs', 'a', 'b', false],
    ['a key and none', 'abc', '', false],
  ])('are similar when six tenths of their pairs are the same: %s', (_what, one, other, isSimilar) => {
    expect(areSimilar(one, other)).toBe(isSimilar);
    expect(areSimilar(other, one)).toBe(isSimilar);
  });
});

describe('a title', () => {
  test.each([
    ['a word', 'kucing-dan-kebun', 'Kebun Raya', true],
    ['a part of a word', 'kucing', 'Kucingku', true],
    ['a word with an escape', 'caf%C3%A9', 'Cafe', true],
    ['no word', 'kucing-kebun', 'Anjing', false],
    ['only a word of two letters', 'no-kucing', 'No Anjing', false],
    ['only a number of three digits', 'abc-100', 'Anjing 100', true],
    ['a word that begins like that of the suffix', 'subaru', 'Subaru no Hoshi', true],
    ['a word that ends like that of the suffix', 'rindo', 'Rindo no Hana', true],
    ['nothing, for an address without a word', '--', 'Anjing', false],
  ])('shares with an address: %s', (_what, slug, title, isShared) => {
    expect(sharesWord(slug, title)).toBe(isShared);
  });

  test.each(['sub', 'subtitle', 'indo', 'indonesia'])(
    'does not share the word "%s" of the suffix with an address',
    (word) => {
      expect(sharesWord(`kucing-${word}`, `Anjing ${word} Lain`)).toBe(false);
    },
  );
});

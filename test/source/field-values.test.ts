import { describe, expect, test } from 'vitest';
import { parseImageUrl, parsePageNumber, parseSlug } from '../../src/source/address.ts';
import { parseDate, parseDay, parseEpisode, parseOngoingDay } from '../../src/source/vocabulary.ts';
import VALUES from './field-values.json' with { type: 'json' };

const PAGE_URL = 'https://otakudesu.example/ongoing-anime/page/2/';

/** Each returns undefined for a text that cannot be read, which is null in the table. */
const PARSERS: Record<keyof typeof VALUES, ((text: string) => unknown)[]> = {
  'a day': [parseDay, parseOngoingDay],
  'a day of a card': [parseOngoingDay],
  'a day of the schedule': [parseDay],
  'a date': [parseDate],
  'an episode': [parseEpisode],
  'the address of a cover': [(src) => parseImageUrl({ src }, PAGE_URL)],
  'a slug': [(href) => parseSlug(href, PAGE_URL)],
  'the number of a page': [
    (href) => parsePageNumber(href, PAGE_URL),
    (href) => parsePageNumber(href, PAGE_URL.replace('page/2/', 'page/7/')),
  ],
};

describe.each(Object.keys(PARSERS) as (keyof typeof VALUES)[])('%s', (name) => {
  test.each<(string | number | null)[]>(VALUES[name])('%j is read as %j', (text, value) => {
    for (const parse of PARSERS[name]) expect(parse(String(text)) ?? null).toBe(value);
  });
});

test('a cover is read from the next attribute when the first has none', () => {
  const attributes = { 'data-src': 'https://x;y/a.jpg', src: 'https://x.example/b.jpg' };
  expect(parseImageUrl(attributes, PAGE_URL)).toBe('https://x.example/b.jpg');
});

test('addresses have a limited length', () => {
  expect(parseSlug(`/anime/${'a'.repeat(200)}/`, PAGE_URL)).toBe('a'.repeat(200));
  expect(parseSlug(`/anime/${'a'.repeat(300)}/`, PAGE_URL)).toBeUndefined();
  for (const src of [`https://x/${'a'.repeat(3_000)}`, `https://${'x'.repeat(300)}/a.jpg`])
    expect(parseImageUrl({ src }, PAGE_URL)).toBeUndefined();
  expect(parsePageNumber(`/ongoing-anime/page/${'9'.repeat(400)}/`, PAGE_URL)).toBeUndefined();
  expect(parsePageNumber(undefined, PAGE_URL)).toBeUndefined();
});

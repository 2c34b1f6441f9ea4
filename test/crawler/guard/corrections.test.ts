import { expect, test } from 'vitest';
import {
  type Correction,
  createCorrections,
  NO_CORRECTIONS,
} from '../../../src/crawler/guard/corrections.ts';

const HOUR = 3_600_000;
const NOW = 1_000 * HOUR;

const seen = (firstSeenAt: number, crawls: number): Correction => ({
  slug: 'kucing',
  field: 'title',
  value: 'Anjing',
  firstSeenAt,
  crawls,
});

const confirm = (...before: Correction[]) =>
  createCorrections(before, NOW).confirm('kucing', 'title', 'Anjing');

test.each([
  ['the third crawl, six hours after the first', seen(NOW - 6 * HOUR, 2), true],
  ['a later crawl', seen(NOW - 60 * HOUR, 9), true],
  ['the second crawl', seen(NOW - 6 * HOUR, 1), false],
  ['less than six hours', seen(NOW - 6 * HOUR + 1, 9), false],
  ['a first crawl in the future', seen(NOW + 60 * HOUR, 9), false],
])('a value is confirmed after three crawls over six hours: %s', (_what, before, expected) => {
  expect(confirm(before)).toBe(expected);
});

test('a value is not confirmed when another slug, field or value was seen', () => {
  const before = seen(NOW - 6 * HOUR, 2);
  expect(confirm()).toBe(false);
  for (const other of [{ slug: 'anjing' }, { field: 'day' }, { value: 'Kebun' }])
    expect(confirm({ ...before, ...other })).toBe(false);
});

test('a value is listed with its first time and the number of its crawls', () => {
  const corrections = createCorrections([seen(NOW - HOUR, 1)], NOW);
  corrections.confirm('kucing', 'title', 'Anjing');
  corrections.confirm('kebun', 'day', 'Senin');
  corrections.markCompared();
  expect(corrections.list()).toEqual([
    seen(NOW - HOUR, 2),
    { slug: 'kebun', field: 'day', value: 'Senin', firstSeenAt: NOW, crawls: 1 },
  ]);
});

test('a time in the future, noted while the clock was ahead, is replaced by the time of this crawl', () => {
  const corrections = createCorrections([seen(NOW + HOUR, 1)], NOW);
  corrections.confirm('kucing', 'title', 'Anjing');
  corrections.markCompared();
  expect(corrections.list()).toEqual([seen(NOW, 2)]);
});

test('a value that is not seen again is dropped, unless no pages were compared', () => {
  const before = [seen(NOW - HOUR, 1)];
  const corrections = createCorrections(before, NOW);
  expect(corrections.list()).toEqual(before);
  corrections.markCompared();
  expect(corrections.list()).toEqual([]);
});

test('of all values, 250 are noted', () => {
  const corrections = createCorrections([], NOW);
  for (let index = 0; index < 300; index += 1) corrections.confirm(`${index}`, 'title', 'Anjing');
  corrections.markCompared();
  expect(corrections.list().map(({ slug }) => Number(slug))).toEqual([...Array(250).keys()]);
});

test('a comparison that is not a crawl accepts and notes nothing', () => {
  expect(NO_CORRECTIONS.confirm('kucing', 'title', 'Anjing')).toBe(false);
  NO_CORRECTIONS.markCompared();
  expect(NO_CORRECTIONS.list()).toEqual([]);
});

import { describe, expect, test } from 'vitest';
import { comparePages, digestPage } from '../../../src/crawler/guard/compare-pages.ts';
import { createCorrections } from '../../../src/crawler/guard/corrections.ts';
import type { OngoingAnime } from '../../../src/domain/listing.ts';
import {
  exchange,
  listAnime,
  listingOf,
  ongoingPage,
  type ReadOptions,
  readPages,
} from '../../support/read-pages.ts';

const ANIME = listAnime(10);
const change = (fields: Partial<OngoingAnime>) => ANIME.map((one) => ({ ...one, ...fields }));

function compare(
  now: OngoingAnime[],
  options: ReadOptions & { before?: OngoingAnime[]; force?: boolean } = {},
) {
  const { before, force = false, ...read } = options;
  const corrections = createCorrections([], 0);
  return comparePages(readPages(now, read), { lastGood: before && listingOf(before), force, corrections });
}

describe('pages are refused', () => {
  test('when one is older than another one, also with force', () => {
    const read = {
      ...readPages(ANIME),
      firstAgain: ongoingPage(1, change({ episode: 1 })),
    };
    const options = { lastGood: undefined, force: true, corrections: createCorrections([], 0) };
    expect(() => comparePages(read, options)).toThrow('is older than page 1');
  });

  test('when the schedule is of other anime, also with force', () => {
    const scheduled = ANIME.map((one) => ({ ...one, slug: `x-${one.slug}` }));
    expect(() => compare(ANIME, { scheduled, force: true })).toThrow('0 of the 8 anime of the schedule');
  });

  test('when they contradict each other, also with force', () => {
    const alts = ANIME.map(({ title }) => title);
    const now = exchange(ANIME, [2, 5], 'title');
    expect(() => compare(now, { alts, force: true })).toThrow('the ongoing list contradicts what is known');
  });

  test('when they contradict the last good listing, unless with force', () => {
    const now = change({ date: '1 Jan' });
    expect(() => compare(now, { before: ANIME })).toThrow('10 of 10 known anime have another date');
    expect(() => compare(now, { before: ANIME, force: true })).not.toThrow();
    expect(() => compare(now)).not.toThrow();
  });
});

test('pages with one contradiction are returned with its card marked, unless with force', () => {
  const now = ANIME.with(9, { ...ANIME[9]!, episode: 99 });
  const marked = compare(now, { before: ANIME });
  expect(marked.pages[0]?.cards[9]).toMatchObject({ card: 10, faults: [{ field: 'episode', found: '99' }] });
  expect(compare(now, { before: ANIME, force: true })).toEqual(readPages(now));
});

test('two readings of a page have one digest when they lead to the same listing', () => {
  const page = ongoingPage(1, ANIME, ['Kucing']);
  expect(digestPage({ ...page, linked: ['lain'] })).toBe(digestPage(page));
  expect(digestPage(page)).toMatch(/^[\w-]{43}$/u);
  for (const other of [{ number: 2 }, { lastNumber: 2 }, { cards: ANIME.slice(1) }, { alts: ['Bebek'] }])
    expect(digestPage({ ...page, ...other })).not.toBe(digestPage(page));
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { judgePage } from '../../../src/crawler/belief/judge.ts';
import { type BeliefMemory, countReading } from '../../../src/crawler/belief/memory.ts';
import type { OngoingAnime } from '../../../src/domain/listing.ts';
import type { OngoingPage, UnreadableCard } from '../../../src/source/source.ts';
import { listingOf, makeAnime } from '../../support/fake-source.ts';

const SIZE = 5;
const NOW = Date.parse('2026-11-21T05:00:00Z');
const list = (count: number) => Array.from({ length: count }, (_, index) => makeAnime(index + 1));
const pageOf = (anime: readonly OngoingAnime[]): OngoingPage => ({
  number: 1,
  cards: anime.slice(0, SIZE),
  alts: anime.slice(0, SIZE).map(({ title }) => `${title} Sub Indo`),
  lastNumber: Math.ceil(anime.length / SIZE),
  linked: [],
});
const aired = (anime: OngoingAnime[], index: number): OngoingAnime[] => {
  const one = anime[index]!;
  return [{ ...one, episode: one.episode + 1, date: '21 Nov' }, ...anime.filter((other) => other !== one)];
};
const judge = (page: OngoingPage, before: OngoingAnime[], memory: Partial<BeliefMemory> = {}) =>
  judgePage(page, {
    lastGood: listingOf(before),
    memory: { claims: {}, seen: {}, pages: Math.ceil(before.length / SIZE), ...memory },
    now: NOW,
    force: false,
  });

describe('page 1 updates the last good list', () => {
  const before = list(12);

  test('when it is unchanged', () => {
    expect(judge(pageOf(before), before).ongoing).toEqual(before);
  });

  test.each([0, 3, 7, 11])('when the anime at %i has a new episode and moved to the top', (index) => {
    const after = aired(before, index);
    expect(judge(pageOf(after), before).ongoing).toEqual(after);
  });

  test('when a new anime is on top, with or without one more page', () => {
    for (const count of [12, 15]) {
      const after = [makeAnime(99), ...list(count)];
      expect(judge(pageOf(after), list(count)).ongoing).toEqual(after);
    }
  });

  test('when it has the whole list', () => {
    const after = [makeAnime(98), makeAnime(99), ...list(3)];
    expect(judge(pageOf(after), list(3)).ongoing).toEqual(after);
  });

  test('when it has a card more or less than the other pages', () => {
    const after = aired(before, 7);
    for (const size of [SIZE - 1, SIZE + 1]) {
      const page = { ...pageOf(after), cards: after.slice(0, size) };
      expect(judge(page, before).ongoing).toEqual(after);
    }
  });

  test('when an anime is missing that the last crawl did not show either', () => {
    const gone = before[2]!;
    const after = aired(before.toSpliced(2, 1), 7);
    const claims = { [`list ${gone.slug}`]: countReading(undefined, 'gone', NOW) };
    expect(judge(pageOf(after), before, { claims }).ongoing).toEqual([
      after[0],
      ...before.filter(({ slug }) => slug !== after[0]?.slug),
    ]);
  });

  test('when an unreadable card has a last good record', () => {
    const after = aired(before, 7);
    const unreadable: UnreadableCard = { card: 3, slug: after[2]!.slug, faults: [] };
    expect(
      judge({ ...pageOf(after), cards: after.slice(0, SIZE).with(2, unreadable as never) }, before).ongoing,
    ).toEqual(after);
  });

  test.each<[string, UnreadableCard]>([
    ['has no address', { card: 1, faults: [] }],
    ['is of an unknown anime', { card: 1, slug: 'baru', faults: [] }],
  ])('without a card on top that cannot be read and %s', (_name, unreadable) => {
    const page = { ...pageOf(before), cards: [unreadable, ...before.slice(0, SIZE - 1)] };
    expect(judge(page, before).ongoing).toEqual(before);
  });
});

describe('a crawl is needed', () => {
  const before = list(12);
  const cases: Record<string, OngoingAnime[]> = {
    'an anime of page 1 is gone': before.toSpliced(2, 1),
    'the last page is gone': before.slice(0, 10),
    'an entry changed below one that did not': before.with(3, { ...before[3]!, episode: 9 }),
    'an entry that did not change went to the top': [before[4]!, ...before.toSpliced(4, 1)],
    'two entries changed places': before.with(1, before[2]!).with(2, before[1]!),
    'everything on page 1 is new, so that more may be new on page 2': [
      ...[91, 92, 93, 94, 95].map(makeAnime),
      ...before,
    ],
  };
  test.each(Object.entries(cases))('when %s', (_name, after) => {
    expect(judge(pageOf(after), before)).toMatchObject({ ongoing: undefined, news: before });
  });

  test('when the page contradicts the list, whose news are still known', () => {
    const after = aired(before, 7).map((one, index) => (index > 0 ? { ...one, day: 'None' as const } : one));
    const { ongoing, news } = judge(pageOf(after), before);
    expect(ongoing).toBeUndefined();
    expect(news).toEqual(aired(before, 7));
  });

  test('when every episode is one higher, and then no episode is known to be new', () => {
    const after = aired(before, 7).map((one) => ({ ...one, episode: one.episode + 1 }));
    expect(judge(pageOf(after), before)).toMatchObject({ ongoing: undefined, news: before });
  });
});

test('a page with any new entries and episodes results in the list that a crawl would make', () => {
  const step = fc.oneof(
    fc.record({ type: fc.constant('air' as const), at: fc.nat(40) }),
    fc.record({ type: fc.constant('add' as const), at: fc.nat(40) }),
  );
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 40 }), fc.array(step, { maxLength: 4 }), (count, steps) => {
      const before = list(count);
      let after = before;
      for (const [index, { type, at }] of steps.entries())
        after = type === 'air' ? aired(after, at % count) : [makeAnime(100 + index), ...after];
      const { ongoing } = judge(pageOf(after), before);
      if (ongoing) expect(ongoing).toEqual(after);
    }),
  );
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { applyPeek } from '../../src/crawler/apply-peek.ts';
import type { OngoingAnime } from '../../src/domain/listing.ts';
import type { UnreadableCard } from '../../src/source/source.ts';
import { makeAnime } from '../support/fake-source.ts';

const SIZE = 5;
const list = (count: number) => Array.from({ length: count }, (_, index) => makeAnime(index + 1));
const pageOf = (anime: readonly OngoingAnime[]) => ({
  cards: anime.slice(0, SIZE),
  lastNumber: Math.ceil(anime.length / SIZE),
});
const aired = (anime: OngoingAnime[], index: number) => {
  const one = anime[index]!;
  return [{ ...one, episode: one.episode + 1 }, ...anime.filter((other) => other !== one)];
};

describe('page 1 updates the last good list', () => {
  const before = list(12);

  test('when it is unchanged', () => {
    expect(applyPeek(pageOf(before), before)).toEqual(before);
  });

  test.each([0, 3, 7, 11])('when the anime at %i has a new episode and moved to the top', (index) => {
    const after = aired(before, index);
    expect(applyPeek(pageOf(after), before)).toEqual(after);
  });

  test('when a new anime is on top, and the last page gets one more entry', () => {
    const after = [makeAnime(99), ...before];
    expect(applyPeek(pageOf(after), before)).toEqual(after);
  });

  test('when it has the whole list', () => {
    const short = list(3);
    const after = [makeAnime(98), makeAnime(99), ...short];
    expect(applyPeek(pageOf(after), short)).toEqual(after);
  });

  test('when an unreadable card has a last good record', () => {
    const after = aired(before, 7);
    const unreadable: UnreadableCard = { card: 3, slug: after[2]!.slug, faults: [] };
    const page = { ...pageOf(after), cards: pageOf(after).cards.with(2, unreadable as never) };
    expect(applyPeek(page, before)).toEqual(after);
  });

  test.each<[string, UnreadableCard]>([
    ['has no address', { card: 1, faults: [] }],
    ['is of an unknown anime', { card: 1, slug: 'baru', faults: [] }],
  ])('without a card on top that cannot be read and %s', (_name, unreadable) => {
    const fifteen = list(15);
    const page = { cards: [unreadable, ...fifteen.slice(0, SIZE - 1)], lastNumber: 4 };
    expect(applyPeek(page, fifteen)).toEqual(fifteen);
  });
});

describe('a crawl is needed', () => {
  const before = list(12);
  const cases: Record<string, OngoingAnime[]> = {
    'an anime of page 1 is gone': before.toSpliced(2, 1),
    'the last page is gone': before.slice(0, 10),
    'an entry changed below one that did not': before.with(3, { ...before[3]!, title: 'Judul lain' }),
    'an entry that did not change went to the top': [before[4]!, ...before.toSpliced(4, 1)],
    'two entries changed places': before.with(1, before[2]!).with(2, before[1]!),
    'everything on page 1 is new, so that more may be new on page 2': [
      ...[91, 92, 93, 94, 95].map(makeAnime),
      ...before,
    ],
  };
  test.each(Object.entries(cases))('when %s', (_name, after) => {
    expect(applyPeek(pageOf(after), before)).toBeUndefined();
  });
});

test('a page with any new entries and episodes results in the list that a crawl would make', () => {
  const step = fc.oneof(
    fc.record({ type: fc.constant('air' as const), at: fc.nat(40) }),
    fc.record({ type: fc.constant('add' as const), at: fc.nat(40) }),
  );
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 40 }), fc.array(step, { maxLength: 8 }), (count, steps) => {
      const before = list(count);
      let after = before;
      for (const [index, { type, at }] of steps.entries())
        after = type === 'air' ? aired(after, at % after.length) : [makeAnime(100 + index), ...after];
      const applied = applyPeek(pageOf(after), before);
      const changed = new Set(after.filter((one) => !before.includes(one))).size;
      if (applied || changed < SIZE) expect(applied).toEqual(after);
    }),
  );
});

import { describe, expect, test } from 'vitest';
import {
  type Agreement,
  isSufficient,
  isSuspect,
  measureAgreement,
} from '../../../src/source/repair/agreement.ts';
import type { KnownAnime, PageModel } from '../../../src/source/repair/page-model.ts';
import { type Anime, EPISODE, knownFrom, listAnime, MODEL, TITLE } from '../support/shelf.ts';

const agreement = (change: Partial<Agreement> = {}): Agreement => ({
  readable: 20,
  unreadable: 0,
  known: 20,
  agreeing: { title: 20 },
  unique: [20],
  ...change,
});

describe('the agreement of a page', () => {
  const known = listAnime(4);
  const measure = (records: KnownAnime[], more: Partial<PageModel<unknown>> = {}) =>
    measureAgreement(
      { ...MODEL, ...more, count: () => ({ records, unreadable: 3 }) },
      undefined,
      knownFrom(known),
    );

  test('counts the records, and those of known anime that agree in each field', () => {
    const records: Anime[] = [
      known[0]!,
      { ...known[1]!, title: 'Judul 99' },
      { ...known[2]!, episode: 'Ep 99' },
      { ...known[3]!, slug: 'baru' },
    ];
    expect(measure(records)).toEqual({
      readable: 4,
      unreadable: 3,
      known: 3,
      agreeing: { title: 2, episode: 2 },
      unique: [2],
    });
  });

  test('counts the groups under the name of their heading', () => {
    const heading = { key: 'day', format: TITLE.format };
    const records = [known[0]!, { ...known[1]!, day: 'Random' }];
    expect(measure(records, { heading, fields: [EPISODE] })).toEqual({
      readable: 2,
      unreadable: 3,
      known: 2,
      agreeing: { episode: 2, heading: 1 },
      unique: [],
    });
  });
});

test.each<[string, Partial<Agreement>, boolean]>([
  ['all agree', {}, true],
  ['nothing is known', { known: 0, agreeing: { title: 0 } }, true],
  ['nothing is readable', { readable: 0 }, false],
  ['a tenth is unreadable', { readable: 18, unreadable: 2 }, true],
  ['more than a tenth is unreadable', { readable: 17, unreadable: 2 }, false],
  ['one of three is unreadable', { readable: 2, unreadable: 1 }, true],
  ['two of three are unreadable', { readable: 1, unreadable: 2 }, false],
  ['a tenth disagrees', { agreeing: { title: 18 } }, true],
  ['more than a tenth disagrees', { agreeing: { title: 17 } }, false],
  ['more than a tenth disagrees in one of two fields', { agreeing: { title: 20, episode: 17 } }, false],
  ['one of two disagrees', { known: 2, agreeing: { title: 1 } }, true],
])(
  'an agreement is sufficient unless too many cards are unreadable or disagree: %s',
  (_what, change, expected) => {
    expect(isSufficient(agreement(change))).toBe(expected);
  },
);

test.each<[string, Agreement | undefined, boolean]>([
  ['it cannot be read at all', undefined, true],
  ['all is well', agreement(), false],
  ['nothing is readable', agreement({ readable: 0 }), true],
  ['a tenth is unreadable', agreement({ readable: 18, unreadable: 2 }), false],
  ['more than a tenth is unreadable', agreement({ readable: 17, unreadable: 2 }), true],
  ['half agree in a unique field', agreement({ unique: [20, 10] }), false],
  ['fewer than half agree in a unique field', agreement({ unique: [20, 9] }), true],
  ['one of three known ones agrees', agreement({ known: 3, unique: [1] }), true],
  ['too few are known', agreement({ known: 2, unique: [0] }), false],
])('a page is suspect when many cards are unreadable or disagree: %s', (_what, given, expected) => {
  expect(isSuspect(given)).toBe(expected);
});

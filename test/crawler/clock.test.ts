import { expect, test } from 'vitest';
import { fitsList, readClock } from '../../src/crawler/clock.ts';
import type { OngoingAnime } from '../../src/domain/listing.ts';

const NOW = Date.parse('2026-11-28T05:00:00Z');
const DAY = 86_400_000;
const list = (date: string) => [{ date } as OngoingAnime];

/** What an attempt at `clock` makes of a first one that was `behindMs` later by its clock, with this newest card. */
function afterFirst(behindMs: number, date: string) {
  const first = readClock(NOW + behindMs, null, { leap: null, behindSince: null }, false);
  return readClock(NOW, first.now, first.memory, fitsList(list(date), NOW, behindMs));
}

test.each([
  ['27 Nov', 10 * 365 * DAY],
  ['21 Nov', 10 * 365 * DAY],
  ['14 Nov', 10 * 365 * DAY],
])(
  'a first attempt in 2036 is believed no longer once the clock is right, with a list of %s',
  (date, behindMs) => {
    const { now, wasAhead } = afterFirst(behindMs, date);
    expect({ now, wasAhead }).toEqual({ now: NOW, wasAhead: true });
  },
);

test.each([
  ['21 Nov', 2 * DAY],
  ['29 Nov', 2 * DAY],
  ['1 Nov', 10 * 365 * DAY],
])(
  'a clock that goes back is not believed at once where the list of %s speaks against it',
  (date, behindMs) => {
    const { now, wasAhead } = afterFirst(behindMs, date);
    expect({ now, wasAhead }).toEqual({ now: NOW + behindMs, wasAhead: false });
  },
);

import { describe, expect, test } from 'vitest';
import { recordCards } from '../../src/belief/record.ts';
import { historyOf } from '../../src/belief/releases.ts';
import type { Snapshot } from '../../src/domain/snapshot.ts';
import type { ShortDate } from '../../src/domain/source-date.ts';
import { dateCards } from '../../src/domain/source-date.ts';
import { makeSnapshot } from '../support/edition.ts';
import { makeAnime } from '../support/fake-source.ts';

const MINUTE = 60_000;
/** 20:00 at the source. */
const NOON = Date.parse('2026-11-20T13:00:00Z');
const card = (episode: number, date: ShortDate = '20 Nov') => [{ ...makeAnime(1), episode, date }];

/** Reads lists one after the other, three minutes apart or as said. */
function read(...lists: [ongoing: ReturnType<typeof card>, gapMs?: number][]) {
  let before: Snapshot | undefined;
  let at = NOON;
  for (const [ongoing, gapMs = 3 * MINUTE] of lists) {
    const reading = { at: at + gapMs, after: before && at, silent: new Set<string>() };
    before = makeSnapshot(ongoing, ongoing, {
      ledger: recordCards(before?.ledger ?? {}, { before: before?.ongoing, ongoing }, reading),
    });
    at += gapMs;
  }
  return historyOf(before!.ledger)['judul-1']!;
}

describe('the history of episodes', () => {
  test('has what the first list shows, without a time, and then the time of a sighting', () => {
    expect(read([card(5, '13 Nov')], [card(6)])).toEqual([
      { episode: 6, seenAt: NOON + 6 * MINUTE, date: '2026-11-20' },
      { episode: 5, date: '2026-11-13' },
    ]);
  });

  test('has no time of a sighting more than half an hour after the good reading before', () => {
    expect(read([card(5, '13 Nov')], [card(6), 30 * MINUTE])[0]).toHaveProperty('seenAt');
    expect(read([card(5, '13 Nov')], [card(6), 30 * MINUTE + 1])[0]).toEqual({
      episode: 6,
      date: '2026-11-20',
    });
  });

  test('has the newest thirteen episodes', () => {
    const lists = Array.from({ length: 20 }, (_, index): [ReturnType<typeof card>, number] => [
      card(index + 1),
      MINUTE,
    ]);
    expect(read(...lists).map(({ episode }) => episode)).toEqual(
      Array.from({ length: 13 }, (_, index) => 20 - index),
    );
  });
});

describe('the year of a date', () => {
  const years = (text: string, now: string) =>
    dateCards(
      text.split(', ').map((date) => ({ date: date as ShortDate })),
      Date.parse(now),
    ).map((date) => date.slice(0, 4));

  test('is the last one in which a card is not later than those above it', () => {
    const list = '28 Mar, 26 Mar, 12 Jan, 30 Des, 2 Nov, 27 Mar, 20 Mar, 5 Mar';
    expect(years(list, '2026-03-28T05:00:00Z').join(' ')).toBe('2026 2026 2026 2025 2025 2025 2025 2025');
  });

  test('is that of the cards around one that is mistyped', () => {
    expect(years('28 Mar, 30 Mar, 27 Mar, 3 Jan, 26 Mar', '2026-03-28T05:00:00Z').join(' ')).toBe(
      '2026 2025 2026 2026 2026',
    );
  });

  test('is a leap year for 29 February', () => {
    expect(years('29 Feb', '2029-03-01T05:00:00Z')).toEqual(['2028']);
  });
});

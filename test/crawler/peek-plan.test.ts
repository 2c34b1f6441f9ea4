import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createRefreshTimes, planPeek } from '../../src/crawler/timing/refresh-times.ts';
import type { EpisodeHistory } from '../../src/domain/episode-history.ts';
import { makeAnime } from '../support/fake-source.ts';
import { ledgerOf } from '../support/ledger.ts';
import { HOUR } from '../support/refresh.ts';

const MINUTE = 60_000;
const DAY = 24 * HOUR;
const WEEK = 7 * DAY;
const peekMs = 3 * MINUTE;
const windowAt = (at: number, half = 10 * MINUTE) => ({
  earliest: at - half,
  latest: at + half,
  late: false,
});

describe('the wait for the next peek', () => {
  test('ends when a window begins', () => {
    const expected = [windowAt(HOUR)];
    expect(planPeek({ expected, airing: 1, peekMs, now: 48 * MINUTE })).toBe(2 * MINUTE);
  });

  test('is between a third and three times REFRESH_PEEK', () => {
    const windows = fc.array(
      fc.tuple(fc.integer({ min: -DAY, max: 8 * DAY }), fc.integer({ min: 1, max: 2 * HOUR })),
    );
    fc.assert(
      fc.property(windows, fc.integer({ min: 1, max: 60 }), (pairs, airing) => {
        const expected = pairs.map(([at, half]) => windowAt(at, half));
        const waitMs = planPeek({ expected, airing, peekMs, now: 0 });
        expect(waitMs).toBeGreaterThanOrEqual(peekMs / 3);
        expect(waitMs).toBeLessThanOrEqual(3 * peekMs);
      }),
    );
  });
});

/** `maxPeekCrawls` with a peek every three minutes. */
const CRAWLS_FROM_PEEKS = 8;

/** Counts the requests of each day with hourly crawls and peeks between them, on a simulated clock. */
function countRequests(history: (index: number) => EpisodeHistory[string], days: number): number[] {
  const ongoing = Array.from({ length: 150 }, (_, index) => makeAnime(index + 1));
  const ledger = ledgerOf(Object.fromEntries(ongoing.map(({ slug }, index) => [slug, history(index)!])));
  let now = 20 * WEEK;
  const timer = {
    fireTimeAfter: (moment: number) => (Math.floor(moment / HOUR) + 1) * HOUR,
    intervalMs: HOUR,
  };
  const times = createRefreshTimes(
    timer,
    peekMs,
    () => now,
    () => 0.5,
  );
  return Array.from({ length: days }, () => {
    const end = now + DAY;
    let requests = 0;
    while (now < end) {
      const [crawlAt, peekAt] = [times.nextCrawl()!, times.nextPeek({ ongoing, ledger })!];
      requests += crawlAt <= peekAt ? 8 : 1;
      now = Math.min(crawlAt, peekAt);
    }
    return requests;
  });
}

describe('requests a day for six pages, including crawls that peeks cause', () => {
  const weekly = (at: number) =>
    Array.from({ length: 8 }, (_, week) => ({ episode: 20 - week, seenAt: (19 - week) * WEEK + at }));
  const cases: Record<string, (index: number) => EpisodeHistory[string]> = {
    'when nothing is known': () => [],
    'when every anime has a time of its own': (index) => weekly((index / 150) * WEEK),
    'when most come in the evening': (index) => weekly((index % 7) * DAY + (12 + (index % 60) / 10) * HOUR),
    'when all come at once': () => weekly(3 * DAY),
    'when half have a time': (index) => (index % 2 ? [] : weekly(index * HOUR)),
  };
  test.each(Object.entries(cases))('are at most 700 %s', (_name, history) => {
    const days = countRequests(history, 1);
    for (const requests of days) expect(requests).toBeGreaterThan(500);
    for (const requests of days) expect(requests + CRAWLS_FROM_PEEKS * 8).toBeLessThanOrEqual(700);
  });
});

import { describe, expect, test } from 'vitest';
import type { AnimeRecord } from '../../src/domain/anime-record.ts';
import { DAYS, type OngoingDay, type ShortDate } from '../../src/domain/listing.ts';
import { listReleases } from '../../src/publishing/releases.ts';
import { makeExpected } from '../support/edition.ts';
import { makeAnimePage } from '../support/fake-source.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const ZONE = 'Asia/Jakarta';
/** Friday, 20 November 2026, 21:00 in Jakarta. */
const NOW = Date.parse('2026-11-20T14:00:00Z');

function anime(
  slug: string,
  of: Partial<AnimeRecord> & { date?: ShortDate; episode?: number } = {},
): AnimeRecord {
  const { date = '1 Nov', episode = 7, day = 'None', ...more } = of;
  const ongoing = { title: slug, slug, episode, day, date, image: `https://img.example/${slug}.jpg` };
  return {
    ...{ title: slug, slug, day, scheduledDay: null, ongoing, leftAt: null },
    ...{ link: '', episodes: [], next: null, details: null, ...more },
  };
}

const expectedAt = (at: number, late = false) => makeExpected(at, { episode: 8, late });
const show = (...records: AnimeRecord[]) =>
  listReleases(records, ZONE, NOW).map(({ record, episode, day, state }) => [
    record.slug,
    episode,
    day,
    state,
  ]);

describe('what is out', () => {
  test('is every anime whose list date is one of these days, whatever its slot', () => {
    const records = [
      anime('hari-ini', { date: '20 Nov', day: 'Rabu' }),
      anime('kemarin', { date: '19 Nov' }),
      anime('kemarin-dulu', { date: '18 Nov' }),
      anime('lama', { date: '17 Nov' }),
    ];
    expect(show(...records).filter(([, , , state]) => state === 'out')).toEqual([
      ['kemarin-dulu', 7, '2026-11-18', 'out'],
      ['kemarin', 7, '2026-11-19', 'out'],
      ['hari-ini', 7, '2026-11-20', 'out'],
    ]);
  });

  test('is of the day of its exact time where that is known, and before what has none', () => {
    const late = { episode: 7, releasedAt: Date.parse('2026-11-18T17:30:00Z'), date: '2026-11-18' };
    const records = [
      anime('tanpa-jam', { date: '19 Nov' }),
      anime('tengah-malam', { date: '18 Nov', episodes: [late] }),
    ];
    expect(show(...records)).toEqual([
      ['tengah-malam', 7, '2026-11-19', 'out'],
      ['tanpa-jam', 7, '2026-11-19', 'out'],
    ]);
  });

  test('is also the episode before, on its own day, and one a day', () => {
    const episodes = [7, 6, 5, 4].map((episode) => ({
      episode,
      date: episode > 5 ? '2026-11-20' : '2026-11-19',
    }));
    expect(show(anime('maraton', { date: '20 Nov', episodes }))).toEqual([
      ['maraton', 5, '2026-11-19', 'out'],
      ['maraton', 7, '2026-11-20', 'out'],
    ]);
  });

  test('stays after the anime left', () => {
    const left = anime('tamat', { date: '19 Nov', day: 'Kamis', leftAt: NOW - HOUR });
    expect(show(left)).toEqual([['tamat', 7, '2026-11-19', 'out']]);
  });
});

describe('what is expected', () => {
  test('is there at its usual time, up to seven days ahead', () => {
    const records = [8 * DAY, 7 * DAY, 2 * HOUR].map((ms) =>
      anime(`dalam-${ms}`, { next: expectedAt(NOW + ms) }),
    );
    expect(show(...records)).toEqual([
      [`dalam-${2 * HOUR}`, 8, '2026-11-20', 'expected'],
      [`dalam-${7 * DAY}`, 8, '2026-11-27', 'expected'],
    ]);
  });

  test('is of today while its window lasts beyond midnight', () => {
    const next = expectedAt(NOW - 22 * HOUR);
    expect(show(anime('lewat', { next }))).toEqual([['lewat', 8, '2026-11-20', 'expected']]);
  });

  test('is of today when it is late, whatever day it was expected', () => {
    const next = expectedAt(NOW - 2 * DAY, true);
    expect(show(anime('telat', { next }))).toEqual([['telat', 8, '2026-11-20', 'late']]);
  });

  test.each<[string, OngoingDay, ShortDate, string | undefined]>([
    ['on the day of its slot', 'Minggu', '15 Nov', '2026-11-22'],
    ['today, while that is not out', 'Jumat', '13 Nov', '2026-11-20'],
    ['not this week when its last episode came four days before its slot', 'Minggu', '18 Nov', undefined],
    ['but when it came five days before', 'Senin', '18 Nov', '2026-11-23'],
    ['a week later when it came today', 'Jumat', '20 Nov', '2026-11-27'],
    ['nowhere without a day of the week', 'Random', '13 Nov', undefined],
  ])('without a usual time %s', (_name, day, date, expected) => {
    const found = show(anime('slot', { day, date })).filter(([, , , state]) => state === 'expected');
    expect(found).toEqual(expected ? [['slot', 8, expected, 'expected']] : []);
  });

  test('has no episode where only the schedule has the anime', () => {
    const record = anime('baru', { scheduledDay: 'Sabtu', day: 'Sabtu', ongoing: null });
    expect(show(record)).toEqual([['baru', null, '2026-11-21', 'expected']]);
  });

  test.each([
    ['is complete', { status: 'completed' as const }],
    ['has had its last episode', { totalEpisodes: 7 }],
  ])('is nothing where the anime %s', (_name, more) => {
    const details = { ...makeAnimePage().details, ...more };
    expect(show(anime('selesai', { day: 'Sabtu', details }))).toEqual([]);
  });
});

test('every day of the week is found, and days are in order', () => {
  const releases = listReleases(
    DAYS.map((day) => anime(day.toLowerCase(), { day })),
    ZONE,
    NOW,
  );
  const days = releases.map(({ day }) => day);
  expect(days).toEqual([20, 21, 22, 23, 24, 25, 26].map((day) => `2026-11-${day}`));
  expect(releases.map(({ record }) => record.day)).toEqual([...DAYS.slice(4, 7), ...DAYS.slice(0, 4)]);
});

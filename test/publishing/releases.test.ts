import { expect, test } from 'vitest';
import type { AnimeRecord } from '../../src/domain/anime-record.ts';
import { hasEnded } from '../../src/domain/details.ts';
import { DAYS, type OngoingDay } from '../../src/domain/listing.ts';
import { datedBefore, type ShortDate } from '../../src/domain/source-date.ts';
import { listReleases } from '../../src/publishing/releases.ts';
import { makeExpected } from '../support/edition.ts';
import { makeAnimePage } from '../support/fake-source.ts';
import CASES from './releases.json' with { type: 'json' };

const ZONE = 'Asia/Jakarta';
/** Friday, 20 November 2026, 21:00 in Jakarta. */
const NOW = Date.parse('2026-11-20T14:00:00Z');

/** An anime of the cases: its seventh episode came on the first of November unless it says otherwise. Times are ISO 8601. */
interface Anime {
  slug: string;
  day?: OngoingDay;
  date?: ShortDate;
  leftAt?: string;
  expectedAt?: string;
  isLate?: boolean;
  isUnseen?: boolean;
  isOnlyScheduled?: boolean;
  episodes?: Episode[];
  unnumbered?: { date: string }[];
  details?: object;
}

interface Episode {
  episode: number;
  date: string;
  releasedAt?: string;
}

function recordOf({
  slug,
  day = 'None',
  date = '1 Nov',
  expectedAt,
  isLate = false,
  isUnseen = false,
  ...of
}: Anime): AnimeRecord {
  const card = { title: slug, slug, episode: 7, day, date, image: `https://img.example/${slug}.jpg` };
  const ongoing = of.isOnlyScheduled ? null : card;
  const listed = ongoing ? [{ episode: 7, date: datedBefore(date, NOW) }] : [];
  const episodes = (of.episodes ?? listed).map(({ releasedAt, ...known }: Episode) => ({
    ...known,
    ...(releasedAt && { releasedAt: Date.parse(releasedAt) }),
  }));
  const details = of.details ? { ...makeAnimePage().details, ...of.details } : null;
  return {
    ...{ title: slug, slug, day, link: '', image: card.image, cover: null, ongoing, episodes, details },
    scheduledDay: of.isOnlyScheduled && day !== 'None' ? day : null,
    leftAt: of.leftAt ? Date.parse(of.leftAt) : null,
    next: expectedAt
      ? makeExpected(Date.parse(expectedAt), { episode: 8, late: isLate, unseen: isUnseen })
      : null,
    hasEnded: hasEnded(details, episodes),
    isQuiet: false,
    unnumbered: of.unnumbered ?? [],
    assumed: [],
    medium: null,
    printed: null,
  };
}

test.each(CASES)('$name', ({ anime, shown }) => {
  const releases = listReleases((anime as Anime[]).map(recordOf), ZONE, NOW);
  expect(releases.map(({ record, episode, day, state }) => [record.slug, episode, day, state])).toEqual(
    shown,
  );
});

test('every day of the week is found, and days are in order', () => {
  const records = DAYS.map((day) => recordOf({ slug: day.toLowerCase(), day }));
  const releases = listReleases(records, ZONE, NOW);
  const days = releases.map(({ day }) => day);
  expect(days).toEqual([20, 21, 22, 23, 24, 25, 26].map((day) => `2026-11-${day}`));
  expect(releases.map(({ record }) => record.day)).toEqual([...DAYS.slice(4, 7), ...DAYS.slice(0, 4)]);
});

test('days are those of TIME_ZONE, also where it is behind the source', () => {
  // Friday half past midnight in Jakarta, Thursday noon in New York.
  const now = Date.parse('2026-11-19T17:30:00Z');
  const released = { episode: 7, date: '2026-11-20', releasedAt: '2026-11-20T00:10:00+07:00' };
  const anime: Anime[] = [
    { slug: 'released', episodes: [released] },
    { slug: 'dated', episodes: [{ episode: 7, date: '2026-11-20' }] },
    { slug: 'expected', episodes: [], expectedAt: '2026-11-21T01:00:00+07:00' },
  ];
  const daysIn = (zone: string) =>
    Object.fromEntries(
      listReleases(anime.map(recordOf), zone, now).map(({ record, day }) => [record.slug, day]),
    );
  const [thursday, friday, saturday] = ['2026-11-19', '2026-11-20', '2026-11-21'];
  expect(daysIn(ZONE)).toEqual({ released: friday, dated: friday, expected: saturday });
  expect(daysIn('America/New_York')).toEqual({ released: thursday, dated: thursday, expected: friday });
});

test('episodes of one day are one release, of the newest, which names the others', () => {
  const episodes = [8, 7, 6].map((episode) => ({
    episode,
    date: episode === 6 ? '2026-11-13' : '2026-11-20',
  }));
  const releases = listReleases([recordOf({ slug: 'naga', episodes })], ZONE, NOW);
  expect(releases.map(({ episode, otherEpisodes }) => [episode, otherEpisodes])).toEqual([[8, [7]]]);
});

import { createHash } from 'node:crypto';
import type { AnimeDetails } from '../../src/domain/details.ts';
import type { EpisodeHistory, ExpectedEpisode } from '../../src/domain/episode-history.ts';
import { DAYS, type OngoingAnime, type OngoingDay } from '../../src/domain/listing.ts';
import { localDay, weekdayOf } from '../../src/domain/local-day.ts';
import type { Snapshot } from '../../src/domain/snapshot.ts';
import { MONTHS } from '../../src/domain/source-date.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, WEEK_MS } from '../../src/domain/units.ts';
import type { EditionContent } from '../../src/publishing/edition.ts';
import { listingOf } from './fake-source.ts';

const ZONE = 'Asia/Jakarta';
const WEEKS = 4;

/** The lengths of the titles on a day of the source, in characters. */
const LENGTHS = [
  ...'6 9 9 11 12 12 13 14 14 15 15 17 17 17 17 18 19 19 19 19 21 22 22 23 24 24 25 25'.split(' '),
  ...'26 26 27 27 27 28 28 28 29 29 30 32 33 35 37 38 38 39 40 40 40 41 44 45 50 58'.split(' '),
].map(Number);
const SYLLABLES = 'ka shi no ten rai mo gu sei hana kyo ryu tsu be wo'.split(' ');
const GENRES = 'Action Adventure Comedy Drama Fantasy Mystery Romance School Sports'.split(' ');
const KANJI = '呪術廻戦葬送冒険者日常魔王勇者転生悪役令嬢異世界学園恋愛推理';

export interface SeasonAnime {
  anime: OngoingAnime;
  history: EpisodeHistory[string];
  next: ExpectedEpisode | undefined;
  details: AnimeDetails;
}

/**
 * A season of so many anime as the service knows it a while after its start: titles as long as the source's, of syllables
 * that hardly repeat, with hours, windows and details. Some are late, some have no known hour, some no day of the week.
 */
export function createSeason(size: number, now: number, coverOrigin: string): SeasonAnime[] {
  return Array.from({ length: size }, (_, index) => createAnime(index, now, coverOrigin));
}

function createAnime(index: number, now: number, coverOrigin: string): SeasonAnime {
  const title = titleOf(index);
  const midnight = Date.parse(`${localDay(ZONE, now)}T00:00:00+07:00`);
  const slotAt =
    midnight -
    (index % 7) * DAY_MS +
    (8 + ((index * 5 + 3 * Math.floor(index / 7)) % 16)) * HOUR_MS +
    (index % 6) * 7 * MINUTE_MS;
  const isLate = index === 28 || index === 29;
  const lastAt = slotAt > now || isLate ? slotAt - WEEK_MS : slotAt;
  const episode = 1 + (index % 11);
  const hasHour = index % 10 !== 3;
  const day: OngoingDay = index % 15 === 14 ? 'None' : DAYS[weekdayOf(localDay(ZONE, slotAt))]!;
  const expectedAt = lastAt + WEEK_MS;
  const window = { earliest: expectedAt - 12 * MINUTE_MS, latest: expectedAt + 25 * MINUTE_MS };
  const releases = Array.from({ length: Math.min(episode, WEEKS) }, (_, weeks) => ({
    episode: episode - weeks,
    releasedAt: lastAt - weeks * WEEK_MS,
    date: localDay(ZONE, lastAt - weeks * WEEK_MS),
    ...(index % 3 > 0 && { seenAt: lastAt - weeks * WEEK_MS + (1 + ((index * index) % 17) / 2) * MINUTE_MS }),
  }));
  return {
    anime: {
      title,
      slug: `${title.toLowerCase().replaceAll(' ', '-')}-sub-indo`,
      episode,
      day,
      date: inShort(localDay(ZONE, lastAt)),
      image: `${coverOrigin}/wp-content/uploads/2026/11/${150_000 + index * 37}.jpg`,
    },
    history: hasHour ? releases : [{ episode, date: localDay(ZONE, lastAt) }],
    next:
      hasHour && day !== 'None'
        ? {
            episode: episode + 1,
            expectedAt,
            ...window,
            periodMs: WEEK_MS,
            basis: 4,
            late: isLate,
            unseen: false,
          }
        : undefined,
    details: detailsOf(index),
  };
}

/** Words of two syllables, until the title is long enough. */
function titleOf(index: number): string {
  const bytes = createHash('sha512').update(`${index}`).digest();
  const length = LENGTHS[(index * 7) % LENGTHS.length]!;
  let title = '';
  for (let at = 0; title.length < length - 2; at += 2) {
    const word = [at, at + 1].map((place) => SYLLABLES[bytes[place]! % SYLLABLES.length]).join('');
    title += `${title ? ' ' : ''}${word.charAt(0).toUpperCase()}${word.slice(1)}`;
  }
  return title;
}

function detailsOf(index: number): AnimeDetails {
  const at = index % (KANJI.length - 8);
  return {
    japanese: `${KANJI.slice(at, at + 8)}第${index}期`,
    score: 6 + (index % 30) / 10,
    type: 'TV',
    status: 'ongoing',
    totalEpisodes: index % 4 === 0 ? null : 12,
    minutes: 24,
    startedOn: '2026-10-02',
    studios: ['Studio Daun'],
    genres: [GENRES[index % 9]!, GENRES[(index + 4) % 9]!],
    producers: ['Awan Media'],
    synopsis: index % 3 === 0 ? 'Sebuah kisah contoh.' : null,
  };
}

/** What is published of a season. The schedule has the anime with a day, but only two thirds of them. */
export function publishSeason(season: readonly SeasonAnime[], now: number): EditionContent {
  const ongoing = season.map(({ anime }) => anime);
  const scheduled = ongoing.filter((_, index) => index % 3 !== 2);
  const readAt = now - HOUR_MS;
  const details = season.map(({ anime, details }) => [
    anime.slug,
    { details, readAt, episode: anime.episode, stale: 0 },
  ]);
  const at = { scheduleChangedAt: readAt, ongoingChangedAt: readAt, epoch: 'e1', lastEvent: 0, ledger: {} };
  const snapshot: Snapshot = {
    ...listingOf(ongoing, scheduled),
    ...at,
    details: Object.fromEntries(details),
  };
  return {
    snapshot,
    events: [],
    history: Object.fromEntries(season.map(({ anime, history }) => [anime.slug, history])),
    unnumbered: {},
    expected: Object.fromEntries(season.flatMap(({ anime, next }) => (next ? [[anime.slug, next]] : []))),
  };
}

/** `2026-11-20` → `20 Nov`. */
function inShort(date: string): OngoingAnime['date'] {
  return `${Number(date.slice(8))} ${MONTHS[Number(date.slice(5, 7)) - 1]!}`;
}

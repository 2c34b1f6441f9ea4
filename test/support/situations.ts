import type { Status } from '../../src/crawler/source-state.ts';
import { createCatalogue } from '../../src/demo/catalogue.ts';
import type { EpisodeHistory, ExpectedEpisode } from '../../src/domain/episode-history.ts';
import { DAYS, type OngoingAnime, type Snapshot } from '../../src/domain/listing.ts';
import type { EditionContent } from '../../src/publishing/edition.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const WEEK_MS = 7 * 24 * HOUR_MS;

/** When the pages are shown: 12.00 on a Friday in Jakarta. */
export const SHOWN_AT = Date.parse('2026-11-20T05:00:00Z');
const TODAY = '20 Nov';
/** More than a picture shows. */
const ANIME = 48;
const RELEASED_TODAY = 2;

/** What a listing is shown in: the usual case, the same with Web Push, and what goes wrong. */
const SITUATIONS = ['usual', 'notifying', 'outdated', 'stale', 'empty', 'waiting', 'failing'] as const;
export type Situation = (typeof SITUATIONS)[number];

type SourceStatus = Pick<Status, 'state' | 'since' | 'reason' | 'refreshedAt'>;

const WELL: SourceStatus = {
  state: 'ok',
  reason: null,
  since: SHOWN_AT - WEEK_MS,
  refreshedAt: SHOWN_AT - 3 * MINUTE_MS,
};
const BLOCKED: SourceStatus = {
  state: 'blocked',
  reason: 'HTTP 403',
  since: SHOWN_AT - 5 * HOUR_MS,
  refreshedAt: SHOWN_AT - 6 * HOUR_MS,
};

export const sourceIn = (situation: Situation): SourceStatus =>
  situation === 'stale' || situation === 'failing' ? BLOCKED : WELL;

/** Slugs of anime whose pages differ. */
export const SAMPLES = {
  /** Its episodes were seen, and the next one is expected. */
  seen: 'penjaga-mercusuar-senja',
  longTitle: 'isekai-tensei-no-bouken-sha',
  /** Only the schedule has it. */
  scheduled: 'kota-di-balik-kabut',
};

/** What a listing shows in a situation; `coverOrigin` serves the covers. Undefined before the first snapshot. */
export function contentIn(situation: Situation, coverOrigin: string): EditionContent | undefined {
  if (situation === 'waiting' || situation === 'failing') return undefined;
  if (situation === 'empty') return { snapshot: snapshotOf([]), events: [], history: {}, expected: {} };
  const anime = createAnime(coverOrigin);
  if (situation === 'stale') for (const one of anime) if (one.date === TODAY) one.date = '13 Nov';
  const { episode } = anime[0]!;
  return {
    snapshot: snapshotOf(anime),
    events: [],
    history: { [SAMPLES.seen]: seenEpisodes(episode) },
    expected: { [SAMPLES.seen]: nextEpisode(episode + 1) },
  };
}

function createAnime(coverOrigin: string): OngoingAnime[] {
  const all = createCatalogue(new Date(SHOWN_AT)).anime.slice(0, ANIME);
  const fridays = all.filter(({ day }) => day === 'Jumat');
  for (const anime of all) if (anime.date === TODAY) anime.date = '19 Nov';
  for (const anime of fridays.slice(0, RELEASED_TODAY)) anime.date = TODAY;
  const [released] = fridays;
  Object.assign(released!, { title: 'Penjaga Mercusuar Senja', slug: SAMPLES.seen, episode: 12 });
  Object.assign(fridays[RELEASED_TODAY]!, {
    title: `Isekai Tensei no Bouken-sha: ${'Saikyou no Ken wo Motomete '.repeat(5)}Season 2`,
    slug: SAMPLES.longTitle,
  });
  const sorted = [released!, ...all.filter((anime) => anime !== released)];
  return sorted.map((anime) => ({ ...anime, image: coverOrigin + anime.image }));
}

function snapshotOf(ongoing: OngoingAnime[]): Snapshot {
  const schedule = DAYS.map((day) => ({
    day,
    animeList: ongoing.filter((anime) => anime.day === day).map(({ title, slug }) => ({ title, slug })),
  }));
  const unlisted = { title: 'Kota di Balik Kabut', slug: SAMPLES.scheduled };
  if (ongoing.length > 0) schedule.find(({ day }) => day === 'Sabtu')!.animeList.push(unlisted);
  const at = SHOWN_AT - HOUR_MS;
  return { schedule, ongoing, scheduleChangedAt: at, ongoingChangedAt: at, epoch: 'e1', lastEvent: 0 };
}

function seenEpisodes(newest: number): EpisodeHistory[string] {
  return Array.from({ length: 4 }, (_, index) => ({
    episode: newest - index,
    seenAt: SHOWN_AT - HOUR_MS - index * WEEK_MS,
  }));
}

function nextEpisode(episode: number): ExpectedEpisode {
  const expectedAt = SHOWN_AT + WEEK_MS - HOUR_MS;
  const window = { earliest: expectedAt - 10 * MINUTE_MS, latest: expectedAt + 10 * MINUTE_MS };
  return { episode, expectedAt, ...window, periodMs: 7 * 86_400_000, basis: 4, late: false };
}

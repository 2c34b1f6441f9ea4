import type { Snapshot } from '../../src/domain/snapshot.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, WEEK_MS } from '../../src/domain/units.ts';
import type { EditionContent } from '../../src/publishing/edition.ts';
import type { FlatStatus, SourceDay } from '../../src/store/source-status.ts';
import { createSeason, publishSeason, type SeasonAnime } from './season.ts';

/** When the pages are shown: 19.40 on a Friday in Jakarta. */
export const SHOWN_AT = Date.parse('2026-11-20T12:40:00Z');
const ANIME = 90;

/** What a listing is shown in: the usual case, the same with Web Push and a calendar of broadcasts, and what goes wrong. */
const SITUATIONS = ['usual', 'notifying', 'outdated', 'stale', 'empty', 'waiting', 'failing'] as const;
export type Situation = (typeof SITUATIONS)[number];

type SourceStatus = Pick<
  FlatStatus,
  'state' | 'since' | 'reason' | 'readAt' | 'unchangedSince' | 'standsStill' | 'refreshedAt' | 'days'
>;

/** The last 70 days, with trouble on some of them, and one on which nobody asked. */
const DAYS = Array.from({ length: 70 }, (_, index): SourceDay => {
  const date = new Date(SHOWN_AT - (69 - index) * DAY_MS).toISOString().slice(0, 10);
  const badMs = ({ 12: 20, 30: 5, 31: 24, 55: 2, 69: 5 }[index] ?? 0) * HOUR_MS;
  return { date, ms: { ok: DAY_MS - badMs, ...(badMs > 0 && { blocked: badMs }) } };
}).filter((_, index) => index !== 40);

const WELL: SourceStatus = {
  state: 'ok',
  reason: null,
  since: SHOWN_AT - WEEK_MS,
  readAt: SHOWN_AT - 3 * MINUTE_MS,
  unchangedSince: SHOWN_AT - HOUR_MS,
  standsStill: false,
  refreshedAt: SHOWN_AT - 33 * MINUTE_MS,
  days: DAYS,
};
const BLOCKED_AT = SHOWN_AT - 5 * HOUR_MS;
const BLOCKED: SourceStatus = {
  state: 'blocked',
  reason: 'HTTP 403',
  since: BLOCKED_AT,
  readAt: BLOCKED_AT,
  unchangedSince: SHOWN_AT - 6 * HOUR_MS,
  standsStill: false,
  refreshedAt: SHOWN_AT - 6 * HOUR_MS,
  days: DAYS,
};

export const sourceIn = (situation: Situation): SourceStatus =>
  situation === 'stale' || situation === 'failing' ? BLOCKED : WELL;

/** Slugs of anime whose pages differ. */
export const SAMPLES = {
  /** Its episodes were seen, and the next one is expected. */
  seen: 'penjaga-mercusuar-senja',
  /** Late; unseen while the source is in trouble. */
  longTitle: 'isekai-tensei-no-bouken-sha',
  /** Its slug has an abbreviation that its title has not. */
  abbreviated: 'jjk-s3-sub-indo',
  /** Only the schedule has it. */
  scheduled: 'kota-di-balik-kabut',
  /** It has ended, and left the lists. */
  ended: 'menara-di-ujung-musim',
};

/** The number of the first anime at AniList, and at MyAnimeList; the others follow. */
export const FIRST_IDS = { anilist: 1_000, mal: 5_000 };

/** What a listing shows in a situation; `coverOrigin` serves the covers. Undefined before the first snapshot. */
export function contentIn(situation: Situation, coverOrigin: string): EditionContent | undefined {
  if (situation === 'waiting' || situation === 'failing') return undefined;
  if (situation === 'empty') return publishSeason([], SHOWN_AT);
  const season = createSeason(ANIME, SHOWN_AT, coverOrigin);
  const isOut = (one: SeasonAnime) => one.anime.date === '20 Nov';
  Object.assign(season.find((one) => isOut(one) && one.next && one.anime.episode > 3)!.anime, {
    title: 'Penjaga Mercusuar Senja',
    slug: SAMPLES.seen,
  });
  Object.assign(season.find((one) => one.anime.date === '13 Nov' && one.next)!.anime, {
    title: `Isekai Tensei no Bouken-sha: ${'Saikyou no Ken wo Motomete '.repeat(5)}Season 2`,
    slug: SAMPLES.longTitle,
  });
  Object.assign(season.find((one) => one.anime.date === '16 Nov')!.anime, {
    title: 'Penyihir Kutukan Season 3',
    slug: SAMPLES.abbreviated,
  });
  const shown = situation === 'stale' ? season.filter((one) => !isOut(one) || one.next).map(unsee) : season;
  const content = publishSeason(shown, SHOWN_AT);
  const scheduled = { title: 'Kota di Balik Kabut', slug: SAMPLES.scheduled };
  content.snapshot.schedule.find(({ day }) => day === 'Sabtu')!.animeList.push(scheduled);
  leave(content.snapshot, season.at(-1)!);
  if (situation === 'notifying') addCalendar(content, season);
  return content;
}

/** The anime while the source is blocked: newer episodes were not seen, and late ones may be out. */
function unsee(one: SeasonAnime): SeasonAnime {
  const { anime, history, next } = one;
  const [newest, ...before] = history;
  if (!next || !newest) return one;
  if ((newest.releasedAt ?? 0) <= BLOCKED_AT)
    return next.late && next.latest > BLOCKED_AT
      ? { ...one, next: { ...next, late: false, unseen: true } }
      : one;
  return {
    ...one,
    anime: { ...anime, episode: anime.episode - 1, date: '13 Nov' },
    history: before,
    next: {
      ...next,
      episode: next.episode - 1,
      expectedAt: next.expectedAt - WEEK_MS,
      earliest: next.earliest - WEEK_MS,
      latest: next.latest - WEEK_MS,
      unseen: true,
    },
  };
}

/** The calendar knows every anime, and that the broadcast of one is on a break this week. */
function addCalendar(content: EditionContent, season: readonly SeasonAnime[]): void {
  const media = season.map(({ anime }, index) => {
    const names = { romaji: `${anime.title} TV`, english: null, native: null, synonyms: [] };
    const medium = { id: FIRST_IDS.anilist + index, idMal: FIRST_IDS.mal + index, ...names, broadcasts: [] };
    return [anime.slug, medium] as const;
  });
  content.calendar = { readAt: SHOWN_AT, media: new Map(media), assumed: {} };
  const paused = season.find(({ anime, next }) => anime.date === '17 Nov' && next)!;
  const { expectedAt, earliest, latest } = paused.next!;
  content.expected = {
    ...content.expected,
    [paused.anime.slug]: {
      ...paused.next!,
      expectedAt: expectedAt + WEEK_MS,
      earliest: earliest + WEEK_MS,
      latest: latest + WEEK_MS,
      basis: 'broadcast',
    },
  };
}

/** An anime that ended a few days ago. */
function leave(snapshot: Snapshot, { anime, details }: SeasonAnime): void {
  const ended = { ...anime, title: 'Menara di Ujung Musim', slug: SAMPLES.ended, episode: 12 };
  snapshot.left = { [SAMPLES.ended]: { leftAt: SHOWN_AT - 3 * DAY_MS, anime: { ...ended, date: '12 Nov' } } };
  const known = {
    details: { ...details, status: 'completed' as const },
    readAt: SHOWN_AT,
    episode: 12,
    stale: 0,
  };
  snapshot.details = { ...snapshot.details, [SAMPLES.ended]: known };
}

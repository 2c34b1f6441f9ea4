import { type AnimeDetails, hasEnded } from '../../domain/details.ts';
import {
  type EpisodeRelease,
  type ExpectedEpisode,
  inWeek,
  releaseDay,
  releaseTime,
  type UnnumberedRelease,
} from '../../domain/episode-history.ts';
import { startOfSourceDate } from '../../domain/source-date.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, WEEK_MS } from '../../domain/units.ts';
import { type Moment, openSlot } from './open-slot.ts';

/** After a longer gap a new season begins, often at another time. Older days do not predict the next episode. */
const MAX_GAP_MS = 32 * DAY_MS;
const MAX_DAYS = 9;
/** More episodes of one day are no weekly release. */
const MAX_AT_ONCE = 2;

/** It takes three sightings to establish a time. One time published by the source is enough. */
const MIN_SIGHTINGS = 3;
/** Releases of one rhythm keep their time of the week within this, the day changing at midnight included. */
const MAX_SHIFT_MS = 9 * HOUR_MS;
/** The share of the days that must keep the rhythm. */
const MIN_AGREEMENT = 2 / 3;
/** Two times in a row that agree within the one are the usual time, and so are all within the other of them. */
const SAME_HOUR_MS = 45 * MINUTE_MS;
const MAX_DEVIATION_MS = 75 * MINUTE_MS;
/** Anime with several episodes a week have none of these gaps. */
const MIN_GAP_MS = 4.5 * DAY_MS;

/** How far the window reaches around a single time, and around the first episode, which often comes at an hour of its own. */
const SINGLE = { early: 45 * MINUTE_MS, late: 75 * MINUTE_MS };
const FIRST = { early: 3 * HOUR_MS, late: 2 * HOUR_MS };
/** The least that it reaches around several times, and how many times as far as they are spread. */
const MIN_WINDOW = { early: 8 * MINUTE_MS, late: 12 * MINUTE_MS };
const SPREADS = { early: 2.2, late: 3 };

/** What the next episode of an anime is expected from. */
export interface ExpectationBasis {
  /** Newest first. */
  releases: readonly EpisodeRelease[];
  /** The days on which something without a number came. Each has used its slot. */
  unnumbered?: readonly UnnumberedRelease[] | undefined;
  details?: Pick<AnimeDetails, 'status' | 'isDropped' | 'totalEpisodes'> | undefined;
}

/**
 * When the next episode comes, from the usual time of the episodes before it: in the slot that follows the newest
 * release, or in a later slot, as `openSlot` says. Undefined without a time; null where nothing is expected, because the
 * anime has ended or two slots were seen to pass without the episode.
 */
export function expectEpisode(
  { releases, unnumbered = [], details }: ExpectationBasis,
  moment: Moment,
): ExpectedEpisode | null | undefined {
  const [newest] = releases;
  if (!newest) return undefined;
  if (hasEnded(details, releases)) return null;
  const rhythm = findRhythm(listDays(releases, unnumbered));
  if (!rhythm) return undefined;
  const { slot, periodMs, early, late, basis } = rhythm;
  const slotsUntilNow = Math.ceil((moment.now - slot) / periodMs);
  const slots = Array.from({ length: Math.max(2, slotsUntilNow) }, (_, index) => {
    const expectedAt = Math.round(slot + (index + 1) * periodMs);
    return {
      expectedAt,
      earliest: Math.round(expectedAt - early),
      latest: Math.round(expectedAt + late),
    };
  });
  const left = (details?.totalEpisodes ?? Infinity) - newest.episode;
  const open = openSlot(slots, moment, left > 0 ? left : Infinity);
  if (!open) return null;
  const { passed, ...next } = open;
  return { episode: newest.episode + 1 + passed, ...next, periodMs, basis };
}

/**
 * The days of the season with a release, newest first, each with its time if there is one. Several episodes on one day
 * were uploaded together, so their time predicts nothing.
 */
function listDays(
  releases: readonly EpisodeRelease[],
  unnumbered: readonly UnnumberedRelease[],
): ReleaseDay[] {
  const byDay = Map.groupBy(releases, releaseDay);
  const numbered = [...byDay].map(([date, own]): ReleaseDay => {
    const known = own.find(({ releasedAt }) => releasedAt !== undefined) ?? own[0];
    const at = own.length <= MAX_AT_ONCE ? known && releaseTime(known) : undefined;
    return {
      ...timesOf(date, at),
      isExact: known?.releasedAt !== undefined,
      isFirst: own.some(({ episode }) => episode === 1),
    };
  });
  const others = unnumbered
    .filter(({ date }) => !byDay.has(date))
    .map(({ date, at }): ReleaseDay => ({ ...timesOf(date, at), isExact: false, isFirst: false }));
  const days = [...numbered, ...others].sort((a, b) => b.day - a.day).slice(0, MAX_DAYS);
  const gap = days.findIndex((one, index) => one.day - (days[index + 1]?.day ?? one.day) > MAX_GAP_MS);
  return gap < 0 ? days : days.slice(0, gap + 1);
}

/** The start of a day of the source, and the time of its release where that is of the day. */
function timesOf(date: string, at: number | undefined): Pick<ReleaseDay, 'day' | 'at'> {
  const day = startOfSourceDate(date);
  // An anime may be added, or its date be corrected, days after its release.
  const isOfDay = at !== undefined && at > day - DAY_MS && at < day + 2 * DAY_MS;
  return { day, at: isOfDay ? at : undefined };
}

/** A day with a release. */
interface ReleaseDay {
  /** The start of the day at the source, ms since 1970. */
  day: number;
  /** The time of the release, ms since 1970, if there is one. */
  at: number | undefined;
  /** Whether the source published that time. */
  isExact: boolean;
  /** Whether it belongs to the first episode. */
  isFirst: boolean;
}

/** When the episodes of an anime usually come. */
interface Rhythm {
  /** The slot that is nearest to the newest release, ms since 1970; the next one is a period later. */
  slot: number;
  periodMs: number;
  /** How far the window reaches before and after a slot, ms. */
  early: number;
  late: number;
  /** How many days agree. */
  basis: number;
}

type Timed = ReleaseDay & { at: number };

/** The rhythm of these days (newest first); undefined where there is none, or too few times are known. */
function findRhythm(days: readonly ReleaseDay[]): Rhythm | undefined {
  const [newest] = days;
  const timed = days.filter((one): one is Timed => one.at !== undefined);
  const periodMs = findPeriod(days);
  if (!newest || periodMs === undefined) return undefined;
  const usual = findUsual(timed);
  if (usual === undefined) return undefined;
  const recent = cutAtOtherSlots(days, usual.at);
  const basis = recent.filter((one) => agrees(one, usual.at)).length;
  const sightings = recent.filter((one) => one.at !== undefined && agrees(one, usual.at)).length;
  const isKnown = timed.some(({ isExact }) => isExact) || sightings >= MIN_SIGHTINGS;
  const isRhythm = days.length > 2 ? basis >= Math.max(2, recent.length * MIN_AGREEMENT) : basis > 0;
  if (!isKnown || !isRhythm) return undefined;
  const newestAt = newest.at ?? newest.day + DAY_MS / 2;
  const slot = usual.at + Math.round((newestAt - usual.at) / periodMs) * periodMs;
  return { slot, periodMs, basis, ...usual.window };
}

/** A week, or two where all gaps are of two weeks; undefined where several episodes come in a week. */
function findPeriod(days: readonly ReleaseDay[]): number | undefined {
  const gaps = days.slice(1, 5).map(({ day }, index) => (days[index]?.day ?? day) - day);
  if (gaps.length >= 2 && gaps.filter((gap) => gap < MIN_GAP_MS).length > gaps.length / 2) return undefined;
  const isFortnight = gaps.length >= 2 && gaps.every((gap) => Math.round(gap / WEEK_MS) === 2);
  return isFortnight ? 2 * WEEK_MS : WEEK_MS;
}

/** The usual time of the week as a moment, and how far releases are spread around it. */
function findUsual(timed: readonly Timed[]) {
  const [newest, before] = timed;
  if (!newest) return undefined;
  const offsets = timed.map(({ at }) => inWeek(at - newest.at));
  const isSame = before && Math.abs(offsets[1] ?? 0) <= SAME_HOUR_MS;
  // A single release at another time moves nothing, unless the only one before it was the first episode.
  const few = before && !before.isFirst ? (offsets[1] ?? 0) : 0;
  const anchor = isSame ? 0 : timed.length > 2 ? median(offsets.slice(0, 3)) : few;
  const own = offsets.filter((offset) => Math.abs(offset - anchor) <= MAX_DEVIATION_MS);
  const offset = median(own);
  const one = timed[offsets.indexOf(own[0] ?? 0)];
  if (own.length < 2) return { at: newest.at + offset, window: one?.isFirst ? FIRST : SINGLE };
  const spreadOf = (deviations: number[]) => median(deviations.map(Math.abs)) * (1 + 1.5 / own.length);
  const spread = spreadOf(own.map((each) => each - offset));
  const window = {
    early: MIN_WINDOW.early + SPREADS.early * spread,
    late: MIN_WINDOW.late + SPREADS.late * spread,
  };
  return { at: newest.at + offset, window };
}

/** The days back to where two in a row have another slot: before that, the anime had another day of the week. */
function cutAtOtherSlots(days: readonly ReleaseDay[], usual: number): readonly ReleaseDay[] {
  const end = days.findIndex((one, index) => {
    const next = days[index + 1];
    return next && !agrees(one, usual) && !agrees(next, usual);
  });
  return end < 0 ? days : days.slice(0, end);
}

/** Whether a day fits a weekly slot at that time: by its own time, else by its date, from hours before to hours after. */
function agrees({ day, at }: ReleaseDay, usual: number): boolean {
  if (at !== undefined) return Math.abs(inWeek(at - usual)) <= MAX_SHIFT_MS;
  return Math.abs(inWeek(day + DAY_MS / 2 - usual)) <= DAY_MS / 2 + MAX_SHIFT_MS;
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? upper)) / 2;
}

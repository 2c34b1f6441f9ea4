import { DAY_MS, HOUR_MS, MINUTE_MS, WEEK_MS } from '../../domain/units.ts';

/** After a longer gap a new season begins, often at another time. */
const MAX_GAP_MS = 4.5 * WEEK_MS;
/** Older days do not predict the next episode. */
const MAX_DAYS = 9;
const MIN_DAYS = 3;
/** Releases of one rhythm keep their time of the week within this, the day changing at midnight included. */
const MAX_SHIFT_MS = 9 * HOUR_MS;
/** The share of the days that must keep the rhythm. */
const MIN_AGREEMENT = 2 / 3;
/** The usual time is the median of so many: two in a row at another hour are the usual ones from then on. */
const MAX_TIMES = 3;

/** How far a window reaches before and after its time where no deviation is known; each one that is known replaces a part. */
const [TYPICAL_EARLY_MS, TYPICAL_LATE_MS] = [28 * MINUTE_MS, 70 * MINUTE_MS];
/** A window reaches so much further. */
const MARGIN_MS = 5 * MINUTE_MS;

/** A day with a release. */
export interface ReleaseDay {
  /** The start of the day at the source, ms since 1970. */
  day: number;
  /** The time of the release where it is known, ms since 1970. */
  at: number | undefined;
}

/** When the episodes of an anime usually come. */
export interface Rhythm {
  /** The slot of the last release, ms since 1970; the next one is a period later. */
  lastSlot: number;
  periodMs: number;
  /** How far the window reaches before and after a slot, ms. */
  early: number;
  late: number;
  /** How many days agree. */
  basis: number;
}

/** The rhythm of these days (newest first); undefined where there is none, or no time is known. */
export function findRhythm(days: readonly ReleaseDay[]): Rhythm | undefined {
  const season = findSeason(days.slice(0, MAX_DAYS));
  const reference = chooseReference(season);
  if (reference === undefined) return undefined;
  const recent = cutAtOtherSlots(season, reference);
  const agreeing = recent.filter((one) => agrees(one, reference));
  const [last] = agreeing;
  const basis = agreeing.length;
  const periodMs = findPeriod(agreeing);
  if (!last || basis < MIN_DAYS || basis < recent.length * MIN_AGREEMENT || periodMs === undefined)
    return undefined;
  // Newest first, each as its place in the week.
  const times = agreeing.flatMap(({ at }) => (at === undefined ? [] : inWeek(at - reference)));
  const usual = reference + median(times.slice(0, MAX_TIMES));
  const lastAt = last.at ?? last.day + DAY_MS / 2;
  return {
    lastSlot: usual + Math.round((lastAt - usual) / WEEK_MS) * WEEK_MS,
    periodMs,
    ...findWindow(listDeviations(times)),
    basis,
  };
}

/** The newest days, back to the last long gap. */
function findSeason(days: readonly ReleaseDay[]): readonly ReleaseDay[] {
  const gap = days.findIndex((one, index) => one.day - (days[index + 1]?.day ?? one.day) > MAX_GAP_MS);
  return gap < 0 ? days : days.slice(0, gap + 1);
}

/** The time that the most days agree with, the newest of those; undefined where no time is known. */
function chooseReference(season: readonly ReleaseDay[]): number | undefined {
  const times = season.flatMap(({ at }) => (at === undefined ? [] : at));
  const newest = season.slice(0, MIN_DAYS);
  const count = (days: readonly ReleaseDay[], at: number) => days.filter((one) => agrees(one, at)).length;
  return times.toSorted(
    (a, b) => count(newest, b) - count(newest, a) || count(season, b) - count(season, a),
  )[0];
}

/** Whether a day fits a weekly slot at that time: by its own time, else by its date, from hours before to hours after. */
function agrees({ day, at }: ReleaseDay, reference: number): boolean {
  if (at !== undefined) return Math.abs(inWeek(at - reference)) <= MAX_SHIFT_MS;
  return Math.abs(inWeek(day + DAY_MS / 2 - reference)) <= DAY_MS / 2 + MAX_SHIFT_MS;
}

/** The days back to where two in a row have another slot: before that, the anime had another day of the week. */
function cutAtOtherSlots(season: readonly ReleaseDay[], reference: number): readonly ReleaseDay[] {
  const end = season.findIndex((one, index) => {
    const next = season[index + 1];
    return next && !agrees(one, reference) && !agrees(next, reference);
  });
  return end < 0 ? season : season.slice(0, end);
}

/** A week, or two where all gaps are of two weeks; undefined where the days are of no such rhythm. */
function findPeriod(days: readonly ReleaseDay[]): number | undefined {
  const gaps = days.slice(1).map(({ day }, index) => Math.round(((days[index]?.day ?? day) - day) / WEEK_MS));
  const recent = gaps.slice(0, 4);
  if (recent.length >= 2 && recent.every((weeks) => weeks === 2)) return 2 * WEEK_MS;
  return recent.includes(1) ? WEEK_MS : undefined;
}

/** How far each time was from what was usual before it. So a window is wider where the time drifts or has moved. */
function listDeviations(times: readonly number[]): number[] {
  const before = times.map((_, index) => times.slice(index + 1, index + 1 + MAX_TIMES));
  return before.flatMap((earlier, index) =>
    earlier.length === 0 ? [] : (times[index] ?? 0) - median(earlier),
  );
}

/** How far a window reaches before and after a slot: as far as any of these deviations, and at first as far as is typical. */
function findWindow(deviations: readonly number[]): Pick<Rhythm, 'early' | 'late'> {
  const share = 1 / (1 + deviations.length);
  return {
    early: Math.max(TYPICAL_EARLY_MS * share, -Math.min(...deviations)) + MARGIN_MS,
    late: Math.max(TYPICAL_LATE_MS * share, Math.max(...deviations)) + MARGIN_MS,
  };
}

/** How much later in the week it is, from minus to plus half a week. */
function inWeek(ms: number): number {
  return ms - Math.round(ms / WEEK_MS) * WEEK_MS;
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? upper)) / 2;
}

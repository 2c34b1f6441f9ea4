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
/** Two releases in a row that agree within the one, and are further than the other from those before, are a new hour. */
const SAME_HOUR_MS = 45 * MINUTE_MS;
const OTHER_HOUR_MS = 75 * MINUTE_MS;
/** A trend needs so many times, and has to explain most of their spread. */
const MIN_TREND = 5;
const MAX_TREND_REST = 0.45;

/**
 * How releases of weekly shows deviate from their usual time, in minutes: what is assumed where few times are known. Late
 * ones deviate further than early ones.
 */
const TYPICAL_DEVIATIONS = [-20, -9, -4, -1, 1, 4, 10, 24, 60].map((minutes) => minutes * MINUTE_MS);
/** The typical deviations count as so many times of this anime at most: the more of its own there are, the less. */
const MAX_TYPICAL_WEIGHT = 3.6;
/** The window reaches from one to the other of these shares of the deviations, and the margin further. */
const [EARLY_SHARE, LATE_SHARE] = [0.05, 0.93];
const MARGIN_MS = 4 * MINUTE_MS;

/** A day with a release. */
export interface ReleaseDay {
  /** The start of the day at the source, ms since 1970. */
  day: number;
  /** The time of the release where it is known, ms since 1970. */
  at: number | undefined;
}

/** When the episodes of an anime usually come. */
export interface Rhythm {
  /** The slot of the last release, ms since 1970; the next one is a period and the drift later. */
  lastSlot: number;
  periodMs: number;
  /** How much later each slot is in the week than the one before, ms. */
  drift: number;
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
  const agreeing = cutAtOtherSlots(season, reference);
  const basis = agreeing.filter((one) => agrees(one, reference)).length;
  const periodMs = findPeriod(agreeing.filter((one) => agrees(one, reference)));
  if (basis < MIN_DAYS || basis < agreeing.length * MIN_AGREEMENT || periodMs === undefined) return undefined;
  const slots = agreeing.flatMap((one) =>
    one.at !== undefined && agrees(one, reference) ? toSlot(one.at, reference) : [],
  );
  const usual = fitUsual(cutAtOtherHour(slots), periodMs);
  const lastDay = agreeing.find((one) => agrees(one, reference)) ?? agreeing[0];
  const lastAt = lastDay?.at ?? (lastDay?.day ?? 0) + DAY_MS / 2;
  const lastWeek = Math.round((lastAt - reference - usual.offset) / WEEK_MS);
  // The fit is at the newest time; each later slot without one has drifted further.
  const periods = Math.round(((lastWeek - usual.week) * WEEK_MS) / periodMs);
  return {
    lastSlot: reference + lastWeek * WEEK_MS + usual.offset + periods * usual.drift,
    periodMs,
    drift: usual.drift,
    ...findWindow(usual.deviations),
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

/** A time as its week, counted from the reference, and its place in it. */
interface Slot {
  week: number;
  offset: number;
}

function toSlot(at: number, reference: number): Slot {
  const week = Math.round((at - reference) / WEEK_MS);
  return { week, offset: at - reference - week * WEEK_MS };
}

/** The newest slots, where these agree on another hour than all those before. */
function cutAtOtherHour(slots: readonly Slot[]): readonly Slot[] {
  for (let count = slots.length - 1; count >= 2; count -= 1) {
    const newer = slots.slice(0, count).map(({ offset }) => offset);
    const older = slots.slice(count).map(({ offset }) => offset);
    const [hour, before] = [median(newer), median(older)];
    const isOne = newer.every((offset) => Math.abs(offset - hour) <= SAME_HOUR_MS);
    const isOther =
      older.filter((offset) => Math.abs(offset - hour) <= SAME_HOUR_MS).length <= older.length / 4;
    if (isOne && isOther && Math.abs(hour - before) > OTHER_HOUR_MS) return slots.slice(0, count);
  }
  return slots;
}

/** The usual place in the week at the newest of these slots, its drift in a period, and how the slots deviate from it. */
function fitUsual(slots: readonly Slot[], periodMs: number) {
  const week = slots[0]?.week ?? 0;
  const points = slots.map((slot) => ({ x: ((slot.week - week) * WEEK_MS) / periodMs, y: slot.offset }));
  const offset = median(points.map(({ y }) => y));
  const flat = { week, offset, drift: 0, deviations: points.map(({ y }) => y - offset) };
  if (points.length < MIN_TREND) return flat;
  const drift = median(
    points.flatMap((a, index) => points.slice(index + 1).map((b) => (a.y - b.y) / (a.x - b.x))),
  );
  const start = median(points.map(({ x, y }) => y - drift * x));
  const deviations = points.map(({ x, y }) => y - drift * x - start);
  const isTrend = spread(deviations) < MAX_TREND_REST * spread(flat.deviations);
  return isTrend ? { week, offset: start, drift, deviations } : flat;
}

/** How far a window reaches before and after a slot. Few deviations are less certain, and smaller than they will be. */
function findWindow(deviations: readonly number[]): Pick<Rhythm, 'early' | 'late'> {
  const { length } = deviations;
  const typicalWeight = MAX_TYPICAL_WEIGHT / (1 + length / 5) / TYPICAL_DEVIATIONS.length;
  const weighted = [
    ...TYPICAL_DEVIATIONS.map((ms) => ({ ms: ms * Math.sqrt(1 + 1 / length), weight: typicalWeight })),
    ...deviations.map((ms) => ({ ms: ms * (1 + 1.5 / length), weight: 1 })),
  ].sort((a, b) => a.ms - b.ms);
  return {
    early: Math.max(0, -quantile(weighted, EARLY_SHARE)) + MARGIN_MS,
    late: Math.max(0, quantile(weighted, LATE_SHARE)) + MARGIN_MS,
  };
}

function quantile(weighted: readonly { ms: number; weight: number }[], share: number): number {
  const total = weighted.reduce((sum, { weight }) => sum + weight, 0);
  let below = 0;
  for (const { ms, weight } of weighted) {
    below += weight;
    if (below >= share * total) return ms;
  }
  return 0;
}

/** How much later in the week it is, from minus to plus half a week. */
function inWeek(ms: number): number {
  return ms - Math.round(ms / WEEK_MS) * WEEK_MS;
}

function spread(deviations: readonly number[]): number {
  return median(deviations.map(Math.abs));
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? upper)) / 2;
}

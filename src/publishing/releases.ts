import type { AnimeRecord, Release } from '../domain/anime-record.ts';
import { DAYS, type Day } from '../domain/listing.ts';
import { addDays, localDay, weekdayOf } from '../domain/local-day.ts';
import { releaseDays } from './release-days.ts';

/**
 * What was, is and will be released. Every page, calendar and answer that says when an episode came or comes takes it from
 * here, so that no two of them disagree.
 */

/** An anime whose last episode came so shortly before its slot has had the episode of that slot. */
const SLOT_DAYS = 4;

/**
 * The releases from two days ago to seven days ahead, by day, then by time; those without a time last, in the order of the
 * records. An anime has one a day. `now`: ms since 1970.
 */
export function listReleases(records: readonly AnimeRecord[], timeZone: string, now: number): Release[] {
  const today = localDay(timeZone, now);
  const days = releaseDays(today);
  const last = days.at(-1)!;
  const releases = records.flatMap((record) => {
    const out = listOut(record, timeZone, today).filter(({ day }) => day <= today && days.includes(day));
    const coming = findNextRelease(record, timeZone, now);
    return coming && coming.day <= last ? [...out, coming] : out;
  });
  return releases.sort((a, b) => Date.parse(a.day) - Date.parse(b.day) || timeOf(a) - timeOf(b));
}

/**
 * Past releases: the newest episode of each day, else a release without a number. With only the source's day, it counts
 * for today until that day begins here.
 */
function listOut(record: AnimeRecord, timeZone: string, today: string): Release[] {
  const byDay = new Map<string, Release>();
  for (const { episode, releasedAt = null, date } of record.episodes) {
    const sourceDay = date !== undefined && date > today ? today : date;
    const day = releasedAt === null ? sourceDay : localDay(timeZone, releasedAt);
    if (day === undefined) continue;
    const newest = byDay.get(day);
    if (newest) newest.otherEpisodes = [episode, ...(newest.otherEpisodes ?? [])];
    else byDay.set(day, { record, episode, day, state: 'out', releasedAt, expectedAt: null });
  }
  for (const { date } of record.unnumbered) {
    const day = date > today ? today : date;
    if (byDay.has(day)) continue;
    byDay.set(day, { record, episode: null, day, state: 'out', releasedAt: null, expectedAt: null });
  }
  for (const { episode, expectedAt } of record.assumed) {
    const day = localDay(timeZone, expectedAt);
    byDay.set(day, { record, episode, day, state: 'out', releasedAt: null, expectedAt });
  }
  return [...byDay.values()];
}

/**
 * The next release of an anime: at its usual time, else on the day of its slot; undefined where none is expected. A late or
 * unseen release belongs to today.
 */
export function findNextRelease(record: AnimeRecord, timeZone: string, now: number): Release | undefined {
  const today = localDay(timeZone, now);
  const { next, ongoing, leftAt } = record;
  const base = { record, releasedAt: null };
  if (next) {
    const { episode, expectedAt, late, unseen } = next;
    const day = localDay(timeZone, expectedAt);
    const state = late ? 'late' : unseen ? 'unseen' : 'expected';
    const isToday = state !== 'expected' || day < today;
    return { ...base, episode, day: isToday ? today : day, state, expectedAt };
  }
  const episode = ongoing && ongoing.episode + 1;
  const slot = slotOf(record);
  if (leftAt !== null || record.hasEnded || record.isQuiet || slot === undefined) return undefined;
  const days = listOut(record, timeZone, today).map(({ day }) => day);
  const lastDay = days.sort().at(-1) ?? '';
  const day = nextSlotDay(slot, today, lastDay);
  return { ...base, episode, day, state: 'expected', expectedAt: null };
}

/** The day of the week on which the lists have it. */
function slotOf({ day, scheduledDay }: AnimeRecord): Day | undefined {
  const slot = day === 'None' ? scheduledDay : day;
  return slot === null || slot === 'None' || slot === 'Random' ? undefined : slot;
}

/** The first day from today on that has this slot, and whose episode is not out yet. */
function nextSlotDay(slot: Day, today: string, lastDay: string): string {
  const daysUntil = (DAYS.indexOf(slot) - weekdayOf(today) + 7) % 7;
  const day = addDays(today, daysUntil);
  return lastDay >= addDays(day, -SLOT_DAYS) ? addDays(day, 7) : day;
}

function timeOf({ releasedAt, expectedAt }: Release): number {
  return releasedAt ?? expectedAt ?? Number.MAX_SAFE_INTEGER;
}

import ical, { ICalEventRepeatingFreq } from 'ical-generator';
import type { AnimeRecord } from '../../domain/anime-record.ts';
import type { ExpectedEpisode } from '../../domain/episode-history.ts';
import { DAYS, type Day, type ScheduledAnime, type Snapshot } from '../../domain/listing.ts';
import { localDay } from '../../domain/local-day.ts';
import { DAY_MS, MINUTE_MS, WEEK_MS } from '../../domain/units.ts';
import { type FeedOptions, uuidOf } from './entry.ts';

/** About as long as an episode takes. */
const EPISODE_MS = 30 * MINUTE_MS;
/** A folded line continues after CRLF and a space, so no title may contain either of these. */
const EVENT_START = '\r\nBEGIN:VEVENT\r\n';
const CALENDAR_END = '\r\nEND:VCALENDAR\r\n';

interface Calendars {
  /** The whole week. */
  week: string;
  /** The calendar of each anime that has a day of the week: `Random` has no date. */
  bySlug: Map<string, string>;
}

/**
 * The week as a calendar (RFC 5545), and the calendar of each anime in it. An entry is at the expected time where that is
 * known, else a whole day. It is there every week, from the week in which the schedule last changed, because earlier weeks
 * are not known.
 */
export function renderCalendars(options: FeedOptions, records: readonly AnimeRecord[]): Calendars {
  const { snapshot, url } = options;
  const { schedule, scheduleChangedAt } = snapshot;
  const calendar = ical({ name: 'Tayang', prodId: '//Tayang//Tayang//ID', url: `${url}/feeds/schedule.ics` });
  const expected = new Map(records.map(({ slug, next }) => [slug, next]));
  const slugs: string[] = [];
  for (const { day, animeList } of weekdays(schedule)) {
    for (const { title, slug } of animeList) {
      slugs.push(slug);
      calendar.createEvent({
        id: uuidOf(`schedule ${day} ${slug}`),
        summary: title,
        ...timesOf(day, expected.get(slug) ?? null, options),
        repeating: { freq: ICalEventRepeatingFreq.WEEKLY },
        stamp: new Date(scheduleChangedAt),
        url: `${url}/anime/${slug}`,
      });
    }
  }
  // The library leaves out the end of the last line, which RFC 5545 requires.
  const week = `${calendar.toString().trimEnd()}\r\n`;
  return { week, bySlug: splitCalendar(week, slugs) };
}

/**
 * A time is written in UTC: the source's clock knows no daylight saving time, so it is right every week and in every zone.
 * An anime that is expected on another day than this one has a whole day here.
 */
function timesOf(day: Day, next: ExpectedEpisode | null, { snapshot, timeZone }: FeedOptions) {
  const changed = localDay(timeZone, snapshot.scheduleChangedAt).date;
  if (!next || !isNear(day, localDay(timeZone, next.expectedAt).day))
    return { start: dateOf(day, changed), allDay: true, floating: true };
  const days = Date.parse(localDay(timeZone, next.expectedAt).date) - dateOf('Senin', changed).getTime();
  const firstAt = next.expectedAt - Math.floor(days / WEEK_MS) * WEEK_MS;
  const start = Math.round(firstAt / MINUTE_MS) * MINUTE_MS;
  return { start: new Date(start), end: new Date(start + EPISODE_MS) };
}

/** Whether both are the same day or follow each other: an episode of Friday may come after midnight. */
function isNear(day: Day, other: Day): boolean {
  return [0, 1, 6].includes((DAYS.indexOf(other) - DAYS.indexOf(day) + 7) % 7);
}

/** Cuts the calendar into one for each slug; `slugs` has one for each event, and an anime may have two days. */
function splitCalendar(week: string, slugs: readonly string[]): Map<string, string> {
  const [head = '', ...events] = week.slice(0, -CALENDAR_END.length).split(EVENT_START);
  const texts = new Map<string, string>();
  for (const [index, slug] of slugs.entries()) {
    texts.set(slug, `${texts.get(slug) ?? head}${EVENT_START}${events[index]}`);
  }
  return new Map([...texts].map(([slug, text]) => [slug, text + CALENDAR_END]));
}

/** Joins calendars of single anime to one; `calendars` must not be empty. */
export function joinCalendars(calendars: readonly Buffer[]): Buffer {
  const [first] = calendars as [Buffer];
  const events = calendars.map((bytes) => bytes.subarray(bytes.indexOf(EVENT_START), -CALENDAR_END.length));
  return Buffer.concat([first.subarray(0, first.indexOf(EVENT_START)), ...events, Buffer.from(CALENDAR_END)]);
}

function weekdays(schedule: Snapshot['schedule']): { day: Day; animeList: ScheduledAnime[] }[] {
  return schedule.filter(({ day }) => day !== 'Random');
}

/** That day in the week, from Monday on, of a date such as `2026-11-20`. */
function dateOf(day: Day, date: string): Date {
  const at = Date.parse(date);
  const sinceMonday = (new Date(at).getUTCDay() + 6) % 7;
  return new Date(at + (DAYS.indexOf(day) - sinceMonday) * DAY_MS);
}

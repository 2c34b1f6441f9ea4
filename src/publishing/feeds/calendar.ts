import ical, { ICalEventRepeatingFreq } from 'ical-generator';
import { DAYS, type Day, type ScheduledAnime, type Snapshot } from '../../domain/listing.ts';
import { localDay } from '../../domain/local-day.ts';
import { type FeedOptions, uuidOf } from './entry.ts';

const DAY_MS = 86_400_000;
/** A folded line goes on after CRLF and a space, so no title can hold either of these. */
const EVENT_START = '\r\nBEGIN:VEVENT\r\n';
const CALENDAR_END = '\r\nEND:VCALENDAR\r\n';

export interface Calendars {
  /** The whole week. */
  week: string;
  /** The calendar of each anime that has a day of the week: `Random` has no date. */
  bySlug: Map<string, string>;
}

/**
 * The week as a calendar (RFC 5545), and the calendar of each anime in it: a whole day every week, from the week in
 * which the schedule last changed, because earlier weeks are not known.
 */
export function renderCalendars({ snapshot, url, timeZone }: FeedOptions): Calendars {
  const { schedule, scheduleChangedAt } = snapshot;
  const calendar = ical({ name: 'Tayang', prodId: '//Tayang//Tayang//ID', url: `${url}/feeds/schedule.ics` });
  const slugs: string[] = [];
  for (const { day, animeList } of weekdays(schedule)) {
    const start = dateOf(day, localDay(timeZone, scheduleChangedAt).date);
    for (const { title, slug } of animeList) {
      slugs.push(slug);
      calendar.createEvent({
        id: uuidOf(`schedule ${day} ${slug}`),
        summary: title,
        ...{ start, allDay: true, floating: true },
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

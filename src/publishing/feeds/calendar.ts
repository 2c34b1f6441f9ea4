import ical, { ICalEventRepeatingFreq } from 'ical-generator';
import { DAYS, type Day, type ScheduledAnime, type Snapshot } from '../../domain/listing.ts';
import { localDay } from '../../domain/local-day.ts';
import { type FeedOptions, uuidOf } from './entry.ts';

const DAY_MS = 86_400_000;

/** The slugs that the schedule has on a day of the week: `Random` has no date. */
export function datedSlugs({ schedule }: Snapshot): Set<string> {
  return new Set(weekdays(schedule).flatMap(({ animeList }) => animeList.map(({ slug }) => slug)));
}

/**
 * The week as a calendar (RFC 5545): a whole day every week for each anime, from the week in which the schedule last
 * changed, for of what was before it knows nothing. With a slug: that anime alone.
 */
export function renderCalendar({ snapshot, url, timeZone }: FeedOptions, slug?: string): string {
  const { schedule, scheduleChangedAt } = snapshot;
  const calendar = ical({ name: 'Tayang', prodId: '//Tayang//Tayang//ID', url: `${url}/feeds/schedule.ics` });
  for (const { day, animeList } of weekdays(schedule)) {
    const start = dateOf(day, localDay(timeZone, scheduleChangedAt).date);
    for (const anime of animeList.filter((one) => slug === undefined || one.slug === slug)) {
      calendar.createEvent({
        id: uuidOf(`schedule ${day} ${anime.slug}`),
        summary: anime.title,
        ...{ start, allDay: true, floating: true },
        repeating: { freq: ICalEventRepeatingFreq.WEEKLY },
        stamp: new Date(scheduleChangedAt),
        url: `${url}/#${anime.slug}`,
      });
    }
  }
  // The library leaves out the end of the last line, which RFC 5545 asks for.
  return `${calendar.toString().trimEnd()}\r\n`;
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

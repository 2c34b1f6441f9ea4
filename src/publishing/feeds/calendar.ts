import ical, { type ICalCalendar, ICalEventRepeatingFreq } from 'ical-generator';
import { type AnimeRecord, type Release, totalOf } from '../../domain/anime-record.ts';
import { type EpisodeRelease, releaseTime } from '../../domain/episode-history.ts';
import { HOUR_MS, MINUTE_MS, WEEK_MS } from '../../domain/units.ts';
import { animePage } from '../addresses.ts';
import { findNextRelease } from '../releases.ts';
import { joinCalendars } from './calendar-text.ts';
import { type FeedOptions, uuidOf } from './entry.ts';

/** About as long as an episode takes. */
const EPISODE_MS = 30 * MINUTE_MS;
/** How often programs should fetch a calendar again, in seconds. */
const REFRESH_SECONDS = HOUR_MS / 1_000;
/** In the language of the source, as all feeds. */
const UNSEEN = 'Mungkin sudah rilis, sumber belum bisa dicek.';

interface Calendars {
  /** The next episode of every anime with a day. */
  all: string;
  bySlug: Map<string, string>;
}

/**
 * The next episodes as a calendar (RFC 5545), and the calendar of each anime. An entry has the expected time, else it is
 * a whole day, and is repeated every week; the first one has the number of its episode, and says so where nobody could
 * look whether it is out. The calendar of an anime that left has the episodes that came.
 */
export function renderCalendars(options: FeedOptions, records: readonly AnimeRecord[]): Calendars {
  const { timeZone, now } = options;
  const calendars = records.map((record) => {
    const calendar = openCalendar(options);
    const next = findNextRelease(record, timeZone, now);
    if (next) addComing(calendar, next, options);
    if (record.leftAt !== null) for (const one of record.episodes) addPast(calendar, record, one, options);
    // The library leaves out the end of the last line, which RFC 5545 requires.
    return { record, text: `${calendar.toString().trimEnd()}\r\n` };
  });
  const listed = calendars.filter(({ record }) => record.leftAt === null).map(({ text }) => text);
  return {
    all: joinCalendars([`${openCalendar(options)}\r\n`, ...listed]),
    bySlug: new Map(calendars.map(({ record, text }) => [record.slug, text])),
  };
}

function openCalendar({ url }: FeedOptions): ICalCalendar {
  const address = `${url}/feeds/schedule.ics`;
  return ical({ name: 'Tayang', prodId: '//Tayang//Tayang//ID', url: address, ttl: REFRESH_SECONDS });
}

/** The next episode and the weeks after it. Only the first one has a certain number. */
function addComing(calendar: ICalCalendar, release: Release, options: FeedOptions): void {
  const { slug, title, next } = release.record;
  const { episode, state } = release;
  const total = totalOf(release.record);
  const common = {
    id: uuidOf(`anime ${slug}`),
    ...timesOf(release),
    stamp: new Date(options.snapshot.scheduleChangedAt),
    url: animePage(options.url, slug),
  };
  const everyWeeks = Math.round((next?.periodMs ?? WEEK_MS) / WEEK_MS);
  const count = total && episode && episode <= total ? total - episode + 1 : undefined;
  calendar.createEvent({
    ...common,
    summary: title,
    repeating: {
      freq: ICalEventRepeatingFreq.WEEKLY,
      ...(everyWeeks > 1 && { interval: everyWeeks }),
      ...(count && { count }),
    },
  });
  if (episode !== null)
    calendar.createEvent({
      ...common,
      recurrenceId: common.start,
      summary: titleOf(title, episode),
      ...(state === 'unseen' && { description: UNSEEN }),
    });
}

function addPast(
  calendar: ICalCalendar,
  { slug, title }: AnimeRecord,
  release: EpisodeRelease,
  { url, snapshot }: FeedOptions,
): void {
  const releasedAt = releaseTime(release) ?? null;
  calendar.createEvent({
    id: uuidOf(`episode ${slug} ${release.episode}`),
    ...timesOf({ releasedAt, expectedAt: null, day: release.date ?? '' }),
    summary: titleOf(title, release.episode),
    stamp: new Date(snapshot.scheduleChangedAt),
    url: animePage(url, slug),
  });
}

const titleOf = (title: string, episode: number) => `${title} – Episode ${episode}`;

/** A time is written in UTC: the source's clock knows no daylight saving time, so it is right every week in every zone. */
function timesOf({ releasedAt, expectedAt, day }: Pick<Release, 'releasedAt' | 'expectedAt' | 'day'>) {
  const at = releasedAt ?? expectedAt;
  if (at === null) return { start: new Date(day), allDay: true, floating: true };
  const start = Math.round(at / MINUTE_MS) * MINUTE_MS;
  return { start: new Date(start), end: new Date(start + EPISODE_MS) };
}

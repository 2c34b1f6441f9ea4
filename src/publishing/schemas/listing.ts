import { DAYS, MONTHS } from '../../domain/listing.ts';
import {
  ADDRESS,
  ADDRESS_OR_NULL,
  array,
  COUNT,
  COUNT_OR_NULL,
  FLAG,
  type JSONSchema,
  MOMENT,
  MOMENT_OR_NULL,
  object,
  orNull,
  SLUG,
  success,
  TEXT,
  TEXT_OR_NULL,
} from './schema.ts';

/** The exports are the named schemas of the API's description, where one refers to another by its name. */

const WEEKDAY = { enum: DAYS } as const;
export const Day = { enum: [...DAYS, 'None'] } as const;

export const ScheduledAnime = object({ title: TEXT, slug: SLUG });
export const DaySchedule = object({ day: WEEKDAY, animeList: array(ScheduledAnime) });

const DAY_SCHEDULES = {
  ...array(DaySchedule),
  minItems: DAYS.length,
  maxItems: DAYS.length,
  description: 'Always eight groups, in this order; an empty day is an empty list.',
} as const;

const EPISODE = { ...COUNT, description: 'The newest episode that is out.' } as const;
const DATE = {
  pattern: `^[1-9]\\d? (?:${MONTHS.join('|')})$`,
  description: 'When that episode came out; the source names no year.',
} as const;

export const AnimeIds = {
  ...object({ anilist: COUNT, mal: COUNT_OR_NULL }),
  description: 'The numbers under which AniList and MyAnimeList know it, by a calendar of broadcasts.',
} as const;
const IDS = orNull(AnimeIds);

/** Items of the whole list have `ids` where the service reads a calendar of broadcasts. */
export const OngoingAnime = object(
  { title: TEXT, episode: EPISODE, day: Day, date: { type: 'string', ...DATE }, image: ADDRESS, slug: SLUG },
  { ids: IDS },
);

export const Schedule = success(DAY_SCHEDULES);

export const HomePage = object({
  currentPage: COUNT,
  maxPage: COUNT,
  hasNextPage: FLAG,
  hasPrevPage: FLAG,
  data: { ...array(OngoingAnime), maxItems: 25 },
});
export const Home = success(HomePage);

export const AnimeListingData = object({ schedule: DAY_SCHEDULES, ongoing: array(OngoingAnime) });
export const AnimeListing = success(AnimeListingData);

const EXPECTED = {
  episode: { ...COUNT, description: 'The episode that is expected.' },
  expectedAt: { ...MOMENT, description: 'The most likely time.' },
  earliest: MOMENT,
  latest: MOMENT,
  late: { ...FLAG, description: 'Whether `latest` is past and the episode is not out.' },
} as const;

export const ExpectedEpisode = object({
  ...EXPECTED,
  basis: {
    oneOf: [COUNT, { const: 'broadcast' }],
    description:
      'How many days with a release agree on the time; `broadcast` where it is that of the broadcast in Japan.',
  },
});

const DATE_OR_NULL = { type: ['string', 'null'], format: 'date' } as const;

export const AnimeDetails = object({
  japanese: { ...TEXT_OR_NULL, description: 'The Japanese title.' },
  score: { type: ['number', 'null'], maximum: 10 },
  type: { ...TEXT_OR_NULL, examples: ['TV', 'Movie'] },
  status: { enum: ['ongoing', 'completed', null] },
  totalEpisodes: { ...COUNT_OR_NULL, description: 'How many episodes there will be.' },
  minutes: { ...COUNT_OR_NULL, description: 'How long an episode is.' },
  startedOn: DATE_OR_NULL,
  studios: array(TEXT),
  genres: array(TEXT),
  producers: array(TEXT),
  synopsis: { ...TEXT_OR_NULL, description: 'Paragraphs with an empty line between them.' },
  english: { ...TEXT_OR_NULL, description: 'The English title, by the calendar of broadcasts.' },
});

export const KnownEpisode = object({
  episode: COUNT,
  seenAt: { ...MOMENT_OR_NULL, description: 'When it was seen to appear.' },
  releasedAt: { ...MOMENT_OR_NULL, description: 'When it came out, by the word of the source.' },
  date: { ...DATE_OR_NULL, description: 'The day that the source gives.' },
});

export const AnimeDetail = object({
  title: TEXT,
  slug: SLUG,
  day: Day,
  episode: { ...EPISODE, type: ['integer', 'null'] },
  date: { type: ['string', 'null'], ...DATE },
  image: ADDRESS_OR_NULL,
  link: { ...ADDRESS, description: 'Its page at the source.' },
  leftAt: {
    ...MOMENT_OR_NULL,
    description: 'When it left both listings; null while it is in one. It stays here for 90 days.',
  },
  episodes: {
    ...array(KnownEpisode),
    maxItems: 13,
    description: 'The newest episodes, the newest first; null what is not known.',
  },
  next: { ...orNull(ExpectedEpisode), description: 'Null unless a time is known well enough.' },
  details: {
    ...orNull(AnimeDetails),
    description: 'What the source says of the anime; null until that was read.',
  },
  ids: IDS,
});
export const Anime = success(AnimeDetail);

/** https://jsonfeed.org/version/1.1 */
export const JsonFeedAuthor = object({ name: TEXT });
export const JsonFeedItem = object(
  { id: TEXT, url: ADDRESS, title: TEXT, content_text: TEXT, date_published: MOMENT },
  { image: { ...ADDRESS, description: 'The cover; absent where it is not known.' } },
);
export const JsonFeed = object({
  version: { const: 'https://jsonfeed.org/version/1.1' },
  title: TEXT,
  home_page_url: ADDRESS,
  feed_url: ADDRESS,
  language: TEXT,
  authors: array(JsonFeedAuthor),
  items: { ...array(JsonFeedItem), description: 'The newest first.' },
});

export const UpcomingEpisode = object({ slug: SLUG, title: TEXT, ...EXPECTED });
export const Upcoming = success({
  ...array(UpcomingEpisode),
  description: 'The late episodes, then those that are expected in the next seven days, the soonest first.',
});

export const Release = object({
  slug: SLUG,
  title: TEXT,
  episode: {
    ...COUNT,
    type: ['integer', 'null'],
    description: 'Null where only the schedule has the anime.',
  },
  day: { type: 'string', format: 'date', description: 'The day in the time zone of the service.' },
  state: {
    enum: ['out', 'expected', 'late'],
    description: 'One that is late is of today, whatever day it was expected.',
  },
  releasedAt: { ...MOMENT_OR_NULL, description: 'When it came out; null where only the day is known.' },
  expectedAt: { ...MOMENT_OR_NULL, description: 'Null where only the slot of the schedule is known.' },
  image: ADDRESS_OR_NULL,
});
export const Releases = success({
  ...array(Release),
  description: 'From two days ago to seven days ahead, by day, then by time.',
});

const SEEN = {
  number: { ...COUNT, description: 'Counts up by one in each epoch.' },
  at: { ...MOMENT, description: 'When it was seen: the source names no time of day.' },
  slug: SLUG,
  title: TEXT,
  image: ADDRESS_OR_NULL,
  link: { ...ADDRESS_OR_NULL, description: 'Its page at the source.' },
} as const;

/** `ids` where the service reads a calendar of broadcasts. */
function event<const Members extends Record<string, JSONSchema>>(members: Members) {
  return object({ ...SEEN, ...members }, { ids: IDS });
}

export const AddedEvent = event({ type: { const: 'added' }, episode: COUNT, day: Day });
export const NewEpisodeEvent = event({ type: { const: 'new-episode' }, episode: COUNT, day: Day });
export const MovedEvent = event({ type: { const: 'moved' }, from: Day, to: Day });
export const LeftEvent = event({ type: { const: 'left' } });
export const Event = { oneOf: [AddedEvent, NewEpisodeEvent, MovedEvent, LeftEvent] } as const;

export const EventList = object({
  epoch: {
    ...TEXT,
    description: 'Identifies the numbering: send it back as `epoch`, with `last` as `since`.',
  },
  last: { ...COUNT, description: 'The value of `since` for the next request.' },
  complete: {
    ...FLAG,
    description:
      'False when events may have been missed, because they are no longer kept or the numbering is another one: read the list again.',
  },
  hasMore: { ...FLAG, description: 'There are more events after `last`: request them as well.' },
  events: array(Event),
});
export const Events = success(EventList);

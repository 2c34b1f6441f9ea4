import { DAYS } from '../../domain/listing.ts';
import { MONTHS } from '../../domain/source-date.ts';
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

/**
 * The exports are the named schemas of the API's description, where one refers to another by its name. What their members mean
 * is said in http/openapi, in each language.
 */

const WEEKDAY = { enum: DAYS } as const;
export const Day = { enum: [...DAYS, 'None'] } as const;

export const ScheduledAnime = object({ title: TEXT, slug: SLUG });
export const DaySchedule = object({ day: WEEKDAY, animeList: array(ScheduledAnime) });

const DAY_SCHEDULES = { ...array(DaySchedule), minItems: DAYS.length, maxItems: DAYS.length } as const;

const DATE = { pattern: `^[1-9]\\d? (?:${MONTHS.join('|')})$` } as const;

export const AnimeIds = object({ anilist: COUNT, mal: COUNT_OR_NULL });
const IDS = orNull(AnimeIds);

/** Items of the whole list have `ids` where the service reads a calendar of broadcasts. */
export const OngoingAnime = object(
  { title: TEXT, episode: COUNT, day: Day, date: { type: 'string', ...DATE }, image: ADDRESS, slug: SLUG },
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
  episode: COUNT,
  expectedAt: MOMENT,
  earliest: MOMENT,
  latest: MOMENT,
  late: FLAG,
  unseen: FLAG,
} as const;

export const ExpectedEpisode = object({ ...EXPECTED, basis: { oneOf: [COUNT, { const: 'broadcast' }] } });

const EPISODE_OR_NULL = { ...COUNT, type: ['integer', 'null'] } as const;
const DATE_OR_NULL = { type: ['string', 'null'], format: 'date' } as const;

export const AnimeDetails = object({
  japanese: TEXT_OR_NULL,
  score: { type: ['number', 'null'], maximum: 10 },
  type: TEXT_OR_NULL,
  status: { enum: ['ongoing', 'completed', null] },
  totalEpisodes: COUNT_OR_NULL,
  minutes: COUNT_OR_NULL,
  startedOn: DATE_OR_NULL,
  studios: array(TEXT),
  genres: array(TEXT),
  producers: array(TEXT),
  synopsis: TEXT_OR_NULL,
  english: TEXT_OR_NULL,
});

export const KnownEpisode = object({
  episode: COUNT,
  seenAt: MOMENT_OR_NULL,
  releasedAt: MOMENT_OR_NULL,
  date: DATE_OR_NULL,
});

export const AnimeDetail = object({
  title: TEXT,
  slug: SLUG,
  day: Day,
  episode: EPISODE_OR_NULL,
  date: { type: ['string', 'null'], ...DATE },
  image: ADDRESS_OR_NULL,
  link: ADDRESS,
  page: ADDRESS,
  leftAt: MOMENT_OR_NULL,
  episodes: { ...array(KnownEpisode), maxItems: 13 },
  next: orNull(ExpectedEpisode),
  details: orNull(AnimeDetails),
  ids: IDS,
});
export const Anime = success(AnimeDetail);

/** https://jsonfeed.org/version/1.1 */
export const JsonFeedAuthor = object({ name: TEXT });
export const JsonFeedItem = object(
  { id: TEXT, url: ADDRESS, title: TEXT, content_text: TEXT, date_published: MOMENT },
  { external_url: ADDRESS, image: ADDRESS },
);
export const JsonFeed = object({
  version: { const: 'https://jsonfeed.org/version/1.1' },
  title: TEXT,
  home_page_url: ADDRESS,
  feed_url: ADDRESS,
  language: TEXT,
  authors: array(JsonFeedAuthor),
  items: array(JsonFeedItem),
});

export const UpcomingEpisode = object({ slug: SLUG, title: TEXT, ...EXPECTED });
export const Upcoming = success(array(UpcomingEpisode));

export const Release = object({
  slug: SLUG,
  title: TEXT,
  episode: EPISODE_OR_NULL,
  day: { type: 'string', format: 'date' },
  state: { enum: ['out', 'expected', 'late', 'unseen'] },
  releasedAt: MOMENT_OR_NULL,
  expectedAt: MOMENT_OR_NULL,
  image: ADDRESS_OR_NULL,
});
export const Releases = success(array(Release));

const SEEN = {
  number: COUNT,
  at: MOMENT,
  slug: SLUG,
  title: TEXT,
  image: ADDRESS_OR_NULL,
  link: ADDRESS_OR_NULL,
  page: ADDRESS,
} as const;

/** `ids` where the service reads a calendar of broadcasts. */
function event<const Members extends Record<string, JSONSchema>>(members: Members) {
  return object({ ...SEEN, ...members }, { ids: IDS });
}

export const AddedEvent = event({ type: { const: 'added' }, episode: COUNT, day: Day });
export const NewEpisodeEvent = event({ type: { const: 'new-episode' }, episode: COUNT, day: Day });
export const MovedEvent = event({ type: { const: 'moved' }, from: Day, to: Day });
export const RenamedEvent = event({ type: { const: 'renamed' }, from: SLUG });
export const LeftEvent = event({ type: { const: 'left' } });
export const Event = {
  oneOf: [AddedEvent, NewEpisodeEvent, MovedEvent, RenamedEvent, LeftEvent],
} as const;

export const EventList = object({
  epoch: TEXT,
  last: COUNT,
  complete: FLAG,
  hasMore: FLAG,
  events: array(Event),
});
export const Events = success(EventList);

import { DAYS, MONTHS } from '../../domain/listing.ts';
import { ADDRESS, array, COUNT, FLAG, MOMENT, object, SLUG, success, TEXT } from './schema.ts';

export const DAY = { enum: DAYS } as const;
export const ONGOING_DAY = { enum: [...DAYS, 'None'] } as const;

const DAY_SCHEDULES = {
  ...array(object({ day: DAY, animeList: array(object({ title: TEXT, slug: SLUG })) })),
  minItems: DAYS.length,
  maxItems: DAYS.length,
  description: 'Always eight groups, in this order; an empty day is an empty list.',
} as const;

const EPISODE = { ...COUNT, description: 'The newest episode that is out.' } as const;
const DATE = {
  pattern: `^[1-9]\\d? (?:${MONTHS.join('|')})$`,
  description: 'When that episode came out; the source names no year.',
} as const;

const ONGOING_ANIME = object({
  title: TEXT,
  episode: EPISODE,
  day: ONGOING_DAY,
  date: { type: 'string', ...DATE },
  image: ADDRESS,
  slug: SLUG,
});

export const SCHEDULE = success(DAY_SCHEDULES);

export const HOME = success(
  object({
    currentPage: COUNT,
    maxPage: COUNT,
    hasNextPage: FLAG,
    hasPrevPage: FLAG,
    data: { ...array(ONGOING_ANIME), maxItems: 25 },
  }),
);

export const ANIME = success(object({ schedule: DAY_SCHEDULES, ongoing: array(ONGOING_ANIME) }));

const EXPECTED = {
  episode: { ...COUNT, description: 'The episode that is expected.' },
  expectedAt: { ...MOMENT, description: 'The most likely time.' },
  earliest: MOMENT,
  latest: MOMENT,
} as const;

const NEXT = object({
  ...EXPECTED,
  basis: { ...COUNT, description: 'How many observations agree on the time.' },
});

export const ANIME_DETAIL = success(
  object({
    title: TEXT,
    slug: SLUG,
    day: ONGOING_DAY,
    episode: { ...EPISODE, type: ['integer', 'null'] },
    date: { type: ['string', 'null'], ...DATE },
    image: { ...ADDRESS, type: ['string', 'null'] },
    link: { ...ADDRESS, description: 'Its page at the source.' },
    episodes: {
      ...array(object({ episode: COUNT, seenAt: MOMENT })),
      maxItems: 13,
      description: 'The episodes that were seen to appear, the newest first.',
    },
    next: {
      oneOf: [NEXT, { type: 'null' }],
      description: 'Null unless at least three observations agree on a time.',
    },
  }),
);

export const UPCOMING = success({
  ...array(object({ slug: SLUG, title: TEXT, ...EXPECTED })),
  description: 'The episodes that are expected in the next seven days, the soonest first.',
});

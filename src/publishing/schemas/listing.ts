import { DAYS, MONTHS } from '../../domain/listing.ts';
import { ADDRESS, answer, COUNT, FLAG, list, record, SLUG, TEXT } from './schema.ts';

export const DAY = { enum: DAYS } as const;
export const ONGOING_DAY = { enum: [...DAYS, 'None'] } as const;

export const SCHEDULE = answer({
  ...list(record({ day: DAY, animeList: list(record({ title: TEXT, slug: SLUG })) })),
  minItems: DAYS.length,
  maxItems: DAYS.length,
  description: 'Always eight groups, in this order; an empty day is an empty list.',
});

export const HOME = answer(
  record({
    currentPage: COUNT,
    maxPage: COUNT,
    hasNextPage: FLAG,
    hasPrevPage: FLAG,
    data: {
      ...list(
        record({
          title: TEXT,
          episode: { ...COUNT, description: 'The newest episode that is out.' },
          day: ONGOING_DAY,
          date: {
            type: 'string',
            pattern: `^[1-9]\\d? (?:${MONTHS.join('|')})$`,
            description: 'When that episode came out; the source names no year.',
          },
          image: ADDRESS,
          slug: SLUG,
        }),
      ),
      maxItems: 25,
    },
  }),
);

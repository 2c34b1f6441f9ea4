import * as examples from '../examples.ts';
import { component, LANG, PAGE_HEADERS, type Parameter, type Paths, TEXT } from '../parts.ts';
import { jsonResponses, listingResponses, NOT_LISTED } from './listing-parts.ts';

const SLUG: Parameter = {
  name: 'slug',
  in: 'path',
  required: true,
  description: 'The slug of an anime, as both listings have it.',
  schema: component('Slug'),
  example: examples.DETAIL.data.slug,
};

/** The week and what is airing. */
export const LISTING_PATHS: Paths = {
  '/api/anime': {
    get: {
      operationId: 'getListing',
      tags: ['Listing'],
      summary: 'Get everything in one document',
      description: 'The schedule of the week and every anime that is airing, in order.',
      responses: jsonResponses('AnimeListing', examples.LISTING, 'The whole listing.'),
    },
  },
  '/api/anime/{slug}': {
    get: {
      operationId: 'getAnime',
      tags: ['Listing'],
      summary: 'Get one anime',
      description:
        'Its day, its episodes as they were seen, the next one that is expected, and its page at the source.',
      parameters: [SLUG],
      responses: jsonResponses('Anime', examples.DETAIL, 'The anime.', NOT_LISTED),
    },
  },
  '/api/anime/upcoming': {
    get: {
      operationId: 'getUpcoming',
      tags: ['Listing'],
      summary: 'List the episodes that are expected',
      description: 'Those of the next seven days, the soonest first.',
      responses: jsonResponses('Upcoming', examples.UPCOMING, 'The expected episodes.'),
    },
  },
  '/api/anime/schedule': {
    get: {
      operationId: 'getSchedule',
      tags: ['Listing'],
      summary: 'Get the schedule of the week',
      description: 'Which anime airs on which day: always eight groups, Senin to Minggu and then Random.',
      responses: jsonResponses('Schedule', examples.SCHEDULE, 'The schedule.'),
    },
  },
  '/api/anime/home': {
    get: {
      operationId: 'getHome',
      tags: ['Listing'],
      summary: 'List the anime that are airing',
      description:
        'The newest episode first, 25 to a page. All pages are of one snapshot: no anime is on two pages or missing between them.',
      parameters: [
        {
          name: 'page',
          in: 'query',
          description: 'The number of the page, from 1 to maxPage.',
          schema: { type: 'integer', minimum: 1, default: 1 },
          example: 1,
        },
      ],
      responses: jsonResponses('Home', examples.HOME, 'One page of the list.', {
        400: 'The page is not a whole number from 1 on.',
        404: 'The list has no such page.',
      }),
    },
  },
  '/': {
    get: {
      operationId: 'getWeekPage',
      tags: ['Listing'],
      summary: 'Show the week as a page',
      description: 'The schedule and the list for people, in Indonesian or English.',
      parameters: [LANG],
      responses: listingResponses('text/html', TEXT, 'The page.', {}, PAGE_HEADERS),
    },
  },
  '/anime/{slug}': {
    get: {
      operationId: 'getAnimePage',
      tags: ['Listing'],
      summary: 'Show one anime as a page',
      description: 'One anime for people, in Indonesian or English.',
      parameters: [SLUG, LANG],
      responses: listingResponses('text/html', TEXT, 'The page.', NOT_LISTED, PAGE_HEADERS),
    },
  },
};

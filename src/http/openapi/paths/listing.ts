import * as examples from '../examples.ts';
import { CORS, component, documentAnswers, failures, type Parameter, type Paths, TEXT } from '../parts.ts';

const SHARED = [...CORS, 'Cache-Status'];
const NOT_READY = { 503: 'the first crawl has not finished yet' };
const NOT_LISTED = { 404: 'the anime is in neither listing' };

const SLUG: Parameter = {
  name: 'slug',
  in: 'path',
  required: true,
  description: 'The slug of an anime, as both listings have it.',
  schema: component('Slug'),
  example: examples.DETAIL.data.slug,
};

const LANGUAGE: Parameter = {
  name: 'lang',
  in: 'query',
  description: 'The language; without it, the one that Accept-Language prefers.',
  schema: { enum: ['id', 'en'] },
  example: 'id',
};

const PAGE_HEADERS = [...SHARED, 'Content-Security-Policy', 'Content-Language', 'Referrer-Policy'];

/** The week and what is on air. */
export const LISTING_PATHS: Paths = {
  '/api/anime': {
    get: {
      operationId: 'getListing',
      summary: 'The schedule and everything on air in one document',
      responses: {
        ...documentAnswers(
          'application/json',
          { schema: component('Listing'), example: examples.LISTING },
          SHARED,
        ),
        ...failures(NOT_READY, CORS),
      },
    },
  },
  '/api/anime/{slug}': {
    get: {
      operationId: 'getAnime',
      summary: 'One anime, its episodes as they were seen, and the next one',
      parameters: [SLUG],
      responses: {
        ...documentAnswers(
          'application/json',
          { schema: component('Anime'), example: examples.DETAIL },
          SHARED,
        ),
        ...failures({ ...NOT_LISTED, ...NOT_READY }, CORS),
      },
    },
  },
  '/api/anime/upcoming': {
    get: {
      operationId: 'getUpcoming',
      summary: 'The episodes that are expected in the next seven days',
      responses: {
        ...documentAnswers(
          'application/json',
          { schema: component('Upcoming'), example: examples.UPCOMING },
          SHARED,
        ),
        ...failures(NOT_READY, CORS),
      },
    },
  },
  '/api/anime/schedule': {
    get: {
      operationId: 'getSchedule',
      summary: 'The week: which anime airs on which day',
      responses: {
        ...documentAnswers(
          'application/json',
          { schema: component('Schedule'), example: examples.SCHEDULE },
          SHARED,
        ),
        ...failures(NOT_READY, CORS),
      },
    },
  },
  '/api/anime/home': {
    get: {
      operationId: 'getHome',
      summary: 'What is on air, the newest episode first, 25 to a page',
      parameters: [
        {
          name: 'page',
          in: 'query',
          description: 'From 1 to `maxPage`.',
          schema: { type: 'integer', minimum: 1, default: 1 },
          example: 1,
        },
      ],
      responses: {
        ...documentAnswers('application/json', { schema: component('Home'), example: examples.HOME }, SHARED),
        ...failures({ 400: 'page is none', 404: 'there is no such page', ...NOT_READY }, CORS),
      },
    },
  },
  '/': {
    get: {
      operationId: 'getWeekPage',
      summary: 'The same as a page for people',
      parameters: [LANGUAGE],
      responses: { ...documentAnswers('text/html', TEXT, PAGE_HEADERS), ...failures(NOT_READY, CORS) },
    },
  },
  '/anime/{slug}': {
    get: {
      operationId: 'getAnimePage',
      summary: 'One anime as a page for people',
      parameters: [SLUG, LANGUAGE],
      responses: {
        ...documentAnswers('text/html', TEXT, PAGE_HEADERS),
        ...failures({ ...NOT_LISTED, ...NOT_READY }, CORS),
      },
    },
  },
};

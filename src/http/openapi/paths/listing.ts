import * as examples from '../examples.ts';
import { CORS, component, documentAnswers, failures, type Paths, TEXT } from '../parts.ts';

const SHARED = [...CORS, 'Cache-Status'];
const NOT_READY = { 503: 'the first crawl has not finished yet' };

/** The week and what is on air. */
export const LISTING_PATHS: Paths = {
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
      parameters: [
        {
          name: 'lang',
          in: 'query',
          description: 'The language; without it, what Accept-Language asks for.',
          schema: { enum: ['id', 'en'] },
          example: 'id',
        },
      ],
      responses: {
        ...documentAnswers('text/html', TEXT, [
          ...SHARED,
          ...['Content-Security-Policy', 'Content-Language', 'Referrer-Policy'],
        ]),
        ...failures(NOT_READY, CORS),
      },
    },
  },
};

import * as examples from '../examples.ts';
import { CORS, component, documentAnswers, failures, LANG, PAGE, type Paths, TEXT } from '../parts.ts';

const SHARED = [...CORS, 'Cache-Status'];
const NOT_READY = { 503: 'The first refresh has not finished yet.' };

/** The week and what is airing. */
export const LISTING_PATHS: Paths = {
  '/api/anime/schedule': {
    get: {
      operationId: 'getSchedule',
      tags: ['Listing'],
      summary: 'Get the schedule of the week',
      description: 'Which anime airs on which day: always eight groups, Senin to Minggu and then Random.',
      responses: {
        ...documentAnswers(
          'application/json',
          { schema: component('Schedule'), example: examples.SCHEDULE },
          'The schedule.',
          SHARED,
        ),
        ...failures(NOT_READY, CORS),
      },
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
      responses: {
        ...documentAnswers(
          'application/json',
          { schema: component('Home'), example: examples.HOME },
          'One page of the list.',
          SHARED,
        ),
        ...failures(
          {
            400: 'The page is not a whole number from 1 on.',
            404: 'The list has no such page.',
            ...NOT_READY,
          },
          CORS,
        ),
      },
    },
  },
  '/': {
    get: {
      operationId: 'getWeekPage',
      tags: ['Listing'],
      summary: 'Show the week as a page',
      description: 'The schedule and the list for people, in Indonesian or English.',
      parameters: [LANG],
      responses: {
        ...documentAnswers('text/html', TEXT, 'The page.', [...SHARED, ...PAGE]),
        ...failures(NOT_READY, CORS),
      },
    },
  },
};

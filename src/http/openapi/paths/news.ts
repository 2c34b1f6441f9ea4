import * as examples from '../examples.ts';
import {
  answers,
  CORS,
  component,
  documentAnswers,
  failures,
  type Parameter,
  type Paths,
  TEXT,
} from '../parts.ts';

const SHARED = [...CORS, 'Cache-Status'];
const NOT_READY = { 503: 'the first crawl has not finished yet' };

const SINCE: Parameter = {
  name: 'since',
  in: 'query',
  description: 'The number of the last event that you know; 0 for the beginning.',
  schema: { type: 'integer', minimum: 0, default: 0 },
  example: 0,
};

/** What is new: events of the last 30 days, a stream of them, feeds and a calendar. */
export const NEWS_PATHS: Paths = {
  '/api/anime/events': {
    get: {
      operationId: 'getEvents',
      summary: 'What is new since an event',
      parameters: [SINCE],
      responses: {
        ...documentAnswers(
          'application/json',
          { schema: component('Events'), example: examples.EVENTS },
          SHARED,
        ),
        ...failures({ 400: 'since is none', ...NOT_READY }, CORS),
      },
    },
  },
  '/api/anime/events/stream': {
    get: {
      operationId: 'streamEvents',
      summary: 'What is new as it happens, as Server-Sent Events',
      description:
        'An event is named after its type; its data is one Event. `reset` tells that something was missed: read the list anew.',
      parameters: [
        { ...SINCE, description: 'Begin after this event.' },
        {
          name: 'Last-Event-ID',
          in: 'header',
          description: 'The same, as a browser sends it when it comes back.',
          schema: { type: 'integer', minimum: 0 },
          example: 0,
        },
      ],
      responses: {
        200: answers('text/event-stream', { ...TEXT, example: examples.STREAM }, 'OK', [
          ...[...CORS, 'Cache-Control', 'X-Accel-Buffering', 'X-Content-Type-Options'],
        ]),
        ...failures({ 400: 'since is none', 503: 'too many listen already' }, CORS),
      },
    },
  },
  '/feeds/episodes.atom': {
    get: {
      operationId: 'getAtomFeed',
      summary: 'New episodes as an Atom feed',
      parameters: [{ name: 'slug', in: 'query', description: 'Only this anime.', schema: component('Slug') }],
      responses: {
        ...documentAnswers('application/atom+xml', TEXT, SHARED),
        ...failures(
          { 400: 'slug is given twice', 404: 'the anime is in neither listing', ...NOT_READY },
          CORS,
        ),
      },
    },
  },
  '/feeds/episodes.json': {
    get: {
      operationId: 'getJsonFeed',
      summary: 'New episodes as a JSON feed',
      responses: { ...documentAnswers('application/feed+json', TEXT, SHARED), ...failures(NOT_READY, CORS) },
    },
  },
  '/feeds/schedule.ics': {
    get: {
      operationId: 'getCalendar',
      summary: 'The week as a calendar to subscribe to',
      parameters: [
        {
          name: 'slug',
          in: 'query',
          description: 'Only these anime: up to 50, each as a parameter of its own.',
          schema: { type: 'array', items: component('Slug'), maxItems: 50 },
        },
      ],
      responses: {
        ...documentAnswers('text/calendar', TEXT, SHARED),
        ...failures(
          { 400: 'there are more than 50 slugs', 404: 'none of them has a day of the week', ...NOT_READY },
          CORS,
        ),
      },
    },
  },
};

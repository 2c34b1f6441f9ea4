import * as examples from '../examples.ts';
import {
  CORS_HEADERS,
  component,
  failures,
  type Operation,
  type Parameter,
  type Paths,
  response,
  TEXT,
} from '../parts.ts';
import { jsonResponses, listingResponses, NOT_LISTED } from './listing-parts.ts';

const BAD_SINCE = { 400: 'The number of the event is not a whole number.' };

const SINCE: Parameter = {
  name: 'since',
  in: 'query',
  description: 'The number of the last event that you know; 0 for the beginning.',
  schema: { type: 'integer', minimum: 0, default: 0 },
  example: 0,
};

const EPOCH: Parameter = {
  name: 'epoch',
  in: 'query',
  description: 'The epoch of that event: `data.epoch` of the response that had it.',
  schema: { type: 'string', pattern: '^[0-9a-z]{1,16}$' },
};

/** What is new: events of the last 30 days, a stream of them, feeds and a calendar. */
export const NEWS_PATHS: Paths = {
  '/api/anime/events': {
    get: {
      operationId: 'getEvents',
      tags: ['News'],
      summary: 'List what is new',
      description:
        'New episodes, added anime, changed days and ended anime of the last 30 days, after the event that you know.',
      parameters: [SINCE, EPOCH],
      responses: jsonResponses('Events', examples.EVENTS, 'The events, oldest first.', BAD_SINCE),
    },
  },
  '/api/anime/events/stream': {
    get: {
      operationId: 'streamEvents',
      tags: ['News'],
      summary: 'Receive what is new as it happens',
      description:
        'Server-Sent Events: each is named after its type, and its data is one Event. An event named reset means that some were missed: request the list again.',
      parameters: [
        { ...SINCE, description: 'The event after which the stream begins.' },
        EPOCH,
        {
          name: 'Last-Event-ID',
          in: 'header',
          description: 'The same as `EPOCH-NUMBER`; a browser sends it when it connects again.',
          schema: { type: 'string' },
          example: 'mwoifq80-0',
        },
      ],
      responses: {
        200: response('text/event-stream', { ...TEXT, example: examples.STREAM }, 'The stream.', [
          ...CORS_HEADERS,
          'Cache-Control',
          'X-Accel-Buffering',
          'X-Content-Type-Options',
        ]),
        ...failures({ ...BAD_SINCE, 503: 'Too many clients are listening already.' }),
      },
    },
  },
  '/feeds/episodes.atom': {
    get: {
      ...feed('getAtomFeed', 'Subscribe to new episodes (Atom)', 'application/atom+xml'),
      parameters: [{ name: 'slug', in: 'query', description: 'Only this anime.', schema: component('Slug') }],
      responses: listingResponses('application/atom+xml', TEXT, 'The feed.', {
        400: 'The slug is given more than once.',
        ...NOT_LISTED,
      }),
    },
  },
  '/feeds/episodes.json': {
    get: feed('getJsonFeed', 'Subscribe to new episodes (JSON Feed)', 'application/feed+json'),
  },
  '/feeds/schedule.ics': {
    get: {
      operationId: 'getCalendar',
      tags: ['News'],
      summary: 'Subscribe to the schedule (iCalendar)',
      description: 'A calendar of the whole week, or of the anime that are named.',
      parameters: [
        {
          name: 'slug',
          in: 'query',
          description: 'Only these anime: up to 50, each as a parameter of its own.',
          schema: { type: 'array', items: component('Slug'), maxItems: 50 },
        },
      ],
      responses: listingResponses('text/calendar', TEXT, 'The calendar.', {
        400: 'There are more than 50 slugs.',
        404: 'None of the anime has a day of the week.',
      }),
    },
  },
};

function feed(operationId: string, summary: string, type: string): Operation {
  return {
    operationId,
    tags: ['News'],
    summary,
    description: 'The newest episodes for a feed reader.',
    responses: listingResponses(type, TEXT, 'The feed.'),
  };
}

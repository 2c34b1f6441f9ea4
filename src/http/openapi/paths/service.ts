import * as examples from '../examples.ts';
import { answers, CORS, component, documentAnswers, PAGE, type Paths, TEXT, UNKEPT } from '../parts.ts';

const STATE = [...CORS, ...UNKEPT];

/** How the service is, and what describes it. */
export const SERVICE_PATHS: Paths = {
  '/healthz': {
    get: {
      operationId: 'getHealth',
      summary: 'Whether the process lives',
      responses: {
        200: answers(
          'application/json',
          { schema: component('Health'), example: { status: true } },
          'OK',
          STATE,
        ),
      },
    },
  },
  '/readyz': {
    get: {
      operationId: 'getReadiness',
      summary: 'Whether the listing can be answered, and how the source is',
      responses: {
        200: answers(
          'application/json',
          { schema: component('Readiness'), example: examples.READINESS },
          'OK',
          STATE,
        ),
        503: answers(
          'application/json',
          { schema: component('Readiness') },
          'Nothing to answer with yet.',
          STATE,
        ),
      },
    },
  },
};

/** On both origins. */
export const DESCRIPTION_PATHS: Paths = {
  '/openapi.json': {
    get: {
      operationId: 'getOpenApi',
      summary: 'This description, for programs',
      responses: documentAnswers('application/json', { schema: { type: 'object' } }, [
        ...CORS,
        ...PAGE,
        'Cache-Status',
      ]),
    },
  },
  '/docs': {
    get: {
      operationId: 'getDocs',
      summary: 'This description, for people',
      responses: documentAnswers('text/html', TEXT, [...CORS, ...PAGE, 'Cache-Status']),
    },
  },
};

import * as examples from '../examples.ts';
import {
  CORS_HEADERS,
  component,
  documentResponses,
  LANG,
  PAGE_HEADERS,
  type Paths,
  response,
  TEXT,
  UNCACHED_HEADERS,
} from '../parts.ts';

const STATE_HEADERS = [...CORS_HEADERS, ...UNCACHED_HEADERS];
const JSON_TYPE = 'application/json';

/** How the service is, and what describes it. */
export const SERVICE_PATHS: Paths = {
  '/healthz': {
    get: {
      operationId: 'getHealth',
      tags: ['Service'],
      summary: 'Check that the process runs',
      description: 'For supervisors. It says nothing about the listing.',
      responses: {
        200: response(
          JSON_TYPE,
          { schema: component('Health'), example: { status: true } },
          'The process runs.',
          STATE_HEADERS,
        ),
      },
    },
  },
  '/readyz': {
    get: {
      operationId: 'getReadiness',
      tags: ['Service'],
      summary: 'Check that the listing can be answered',
      description:
        'For load balancers and monitors: the state of the source site, the snapshot and the store.',
      responses: {
        200: response(
          JSON_TYPE,
          { schema: component('Readiness'), example: examples.READINESS },
          'The listing can be answered.',
          STATE_HEADERS,
        ),
        503: response(
          JSON_TYPE,
          { schema: component('Readiness') },
          'There is no listing yet.',
          STATE_HEADERS,
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
      tags: ['Service'],
      summary: 'Get this description for programs',
      description: 'An OpenAPI 3.1 document of both origins.',
      responses: documentResponses(JSON_TYPE, { schema: { type: 'object' } }, 'The document.', [
        ...CORS_HEADERS,
        'Content-Security-Policy',
        'Referrer-Policy',
        'Cache-Status',
      ]),
    },
  },
  '/docs': {
    get: {
      operationId: 'getDocs',
      tags: ['Service'],
      summary: 'Show this description as a page',
      description: 'The page that documents both origins, in Indonesian or English.',
      parameters: [LANG],
      responses: documentResponses('text/html', TEXT, 'The page.', [
        ...CORS_HEADERS,
        ...PAGE_HEADERS,
        'Cache-Status',
      ]),
    },
  },
};

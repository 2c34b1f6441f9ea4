import * as examples from '../examples.ts';
import { headers } from '../headers.ts';
import { CORS_HEADERS, component, failures, LANG, type Paths, TEXT, UNCACHED_HEADERS } from '../parts.ts';
import { filePage, GONE, ID } from './upload-parts.ts';

/** How a file is reported to the operator. */
export const REPORT_PATHS: Paths = {
  '/r/{id}': {
    get: {
      operationId: 'getReportForm',
      tags: ['Uploads'],
      summary: 'Show the form that reports a file',
      description: 'A form that works without JavaScript.',
      parameters: [ID, LANG],
      responses: filePage('The page.'),
    },
    post: {
      operationId: 'reportFile',
      tags: ['Uploads'],
      summary: 'Report a file to the operator',
      description:
        'As JSON or as that form, ten times an hour from one address. The report is stored without your address.',
      parameters: [ID, LANG],
      requestBody: {
        description: 'Why, and, if you like, a note.',
        required: true,
        content: {
          'application/json': { schema: component('Report'), example: examples.REPORT },
          'application/x-www-form-urlencoded': { schema: component('Report') },
        },
      },
      responses: {
        202: {
          description: 'The report has been passed on.',
          headers: headers([...CORS_HEADERS, ...UNCACHED_HEADERS]),
          content: {
            'application/json': { schema: component('Reported'), example: examples.REPORTED },
            'text/html': TEXT,
          },
        },
        ...failures({
          400: 'There is no reason or an unknown one, or the note is too long.',
          413: 'The body is too large.',
          415: 'The body is neither JSON nor a form.',
          429: 'Your address has sent too many reports in the last hour.',
          ...GONE,
        }),
      },
    },
  },
};

import * as examples from '../examples.ts';
import {
  CORS_HEADERS,
  failures,
  type Operation,
  PAGE_HEADERS,
  type Parameter,
  response,
  TEXT,
  UNCACHED_HEADERS,
} from '../parts.ts';

/** What the paths of uploads have in common. */

export const RATE_HEADERS = ['RateLimit', 'RateLimit-Policy'];

export const GONE = {
  404: 'The file never existed, or it was deleted.',
  410: 'The file has expired, or the operator has removed it.',
  451: 'The operator has removed the file for legal reasons.',
  503: 'The storage cannot be reached.',
};

export const fromPath = (name: string, description: string, example: string): Parameter => ({
  name,
  in: 'path',
  required: true,
  description,
  schema: { type: 'string' },
  example,
});
export const ID = fromPath('id', 'The name of the file in its addresses.', examples.ID);

/** A page about a file, or why there is none. */
export function filePage(description: string): Operation['responses'] {
  return {
    200: response('text/html', TEXT, description, [...CORS_HEADERS, ...PAGE_HEADERS, ...UNCACHED_HEADERS]),
    ...failures(GONE),
  };
}

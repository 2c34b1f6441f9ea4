import { STATUS_CODES } from 'node:http';

/** What the paths of the OpenAPI document are made of. https://spec.openapis.org/oas/v3.1.1 */

export interface Parameter {
  name: string;
  in: 'query' | 'path' | 'header';
  required?: boolean;
  description: string;
  schema: object;
  example?: unknown;
}

export interface Answer {
  description: string;
  headers?: Record<string, { description: string; schema: object }>;
  content?: Record<string, { schema: object; example?: unknown }>;
}

export interface Operation {
  operationId: string;
  summary: string;
  description?: string;
  parameters?: Parameter[];
  requestBody?: { required: boolean; content: Record<string, { schema: object; encoding?: object }> };
  /** By status. */
  responses: Record<string, Answer>;
}

export type Method = 'get' | 'post' | 'delete';
export type Path = Partial<Record<Method, Operation>> & { servers?: { url: string }[] };
export type Paths = Record<string, Path>;

const HEADERS: Record<string, string> = {
  'Access-Control-Allow-Origin': 'Any page may read it.',
  'Access-Control-Expose-Headers': 'What of the headers a page may read.',
  'Cache-Control': 'How long it may be kept.',
  'Cache-Status': 'RFC 9211: how fresh the listing is (`ttl`), and how the source is (`detail`).',
  'Content-Disposition': 'Whether to show it or to save it, and the name it was sent with.',
  'Content-Language': 'The language of the page.',
  'Content-Range': 'Which bytes these are, and of how many.',
  'Content-Security-Policy': 'What the page may load.',
  'Cross-Origin-Resource-Policy': 'Any page may embed it.',
  'Accept-Ranges': 'Parts of it can be asked for.',
  ETag: 'A strong tag of exactly these bytes.',
  'Last-Modified': 'When the content last changed.',
  RateLimit:
    'What is left of the tightest limit, and when it is whole again (draft-ietf-httpapi-ratelimit-headers-10).',
  'RateLimit-Policy': 'The limit, and its window in seconds.',
  'Referrer-Policy': 'Links tell nobody where they stood.',
  'Retry-After': 'Seconds to wait.',
  'X-Accel-Buffering': 'A proxy is not to keep it back.',
  'X-Content-Type-Options': 'The type is the type.',
  'X-Request-Id': 'What the request is called in the logs.',
  'X-Delete-Url': 'A secret address: DELETE removes the file, GET is a page with a button.',
};

export const CORS = ['Access-Control-Allow-Origin', 'Access-Control-Expose-Headers'];
export const DOCUMENT = [...['ETag', 'Last-Modified', 'Cache-Control', 'X-Content-Type-Options']];
export const UNKEPT = ['Cache-Control', 'X-Content-Type-Options'];
export const PAGE = ['Content-Security-Policy', 'Referrer-Policy'];

export function headers(names: readonly string[]): NonNullable<Answer['headers']> {
  return Object.fromEntries(
    names.map((name) => [name, { description: HEADERS[name] ?? name, schema: { type: 'string' } }]),
  );
}

export const component = (name: string) => ({ $ref: `#/components/schemas/${name}` });

export function answers(
  type: string,
  content: { schema: object; example?: unknown },
  description: string,
  names: readonly string[],
): Answer {
  return { description, headers: headers(names), content: { [type]: content } };
}

/** What `If-Match` or `If-Unmodified-Since` is answered with. */
export const OTHER_VERSION = 'it is not the version that If-Match or If-Unmodified-Since names';

/** A document: whole, or not modified. */
export function documentAnswers(
  type: string,
  content: { schema: object; example?: unknown },
  names: readonly string[],
): Operation['responses'] {
  return {
    200: answers(type, content, 'OK', [...DOCUMENT, ...names]),
    304: { description: 'You have it already.', headers: headers([...DOCUMENT, ...names]) },
    ...failures({ 406: 'none of the encodings that you accept is offered', 412: OTHER_VERSION }, CORS),
  };
}

/** Errors, in JSON or, for a browser, as a page. */
export function failures(
  reasons: Record<number, string>,
  names: readonly string[],
  example = 'what is wrong, and what to do',
): Operation['responses'] {
  return Object.fromEntries(
    Object.entries(reasons).map(([status, description]) => [
      status,
      {
        description: `${STATUS_CODES[status]}: ${description}`,
        headers: headers([
          ...new Set([
            'Cache-Control',
            'X-Content-Type-Options',
            'X-Request-Id',
            ...names,
            ...(WAITING.has(status) ? ['Retry-After'] : []),
          ]),
        ]),
        content: {
          'application/json': { schema: component('Error'), example: { status: false, message: example } },
          'text/html': { schema: { type: 'string' } },
        },
      },
    ]),
  );
}

const WAITING = new Set(['429', '503']);

export const TEXT = { schema: { type: 'string' } };

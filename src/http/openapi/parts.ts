import { STATUS_CODES } from '../node-http.ts';
import { type HeaderRefs, headers } from './headers.ts';
import type { Tag } from './tags.ts';

/** What the paths of the OpenAPI document are made of. https://spec.openapis.org/oas/v3.1.1 */

export interface Parameter {
  name: string;
  in: 'query' | 'path' | 'header';
  required?: boolean;
  description: string;
  schema: object;
  example?: unknown;
}

export interface Content {
  schema: object;
  example?: unknown;
}

export interface ResponseObject {
  description: string;
  headers?: HeaderRefs;
  content?: Record<string, Content>;
}

export interface Operation {
  operationId: string;
  tags: [Tag];
  summary: string;
  description: string;
  parameters?: Parameter[];
  requestBody?: { description: string; required: boolean; content: Record<string, Content> };
  /** By status. */
  responses: Record<string, ResponseObject>;
}

export type Method = 'get' | 'head' | 'post' | 'patch' | 'delete';
export type Path = Partial<Record<Method, Operation>> & { servers?: { url: string; description: string }[] };
export type Paths = Record<string, Path>;

/** The names of the headers of every response, of a document, of a response that is not cached, and of a page. */
export const CORS_HEADERS = ['Access-Control-Allow-Origin', 'Access-Control-Expose-Headers'];
export const DOCUMENT_HEADERS = ['ETag', 'Last-Modified', 'Cache-Control', 'X-Content-Type-Options'];
export const UNCACHED_HEADERS = ['Cache-Control', 'X-Content-Type-Options'];
export const PAGE_HEADERS = ['Content-Security-Policy', 'Content-Language', 'Referrer-Policy'];

export const component = (name: string) => ({ $ref: `#/components/schemas/${name}` });

/** The parameter that chooses the language of a page. */
export const LANG: Parameter = {
  name: 'lang',
  in: 'query',
  description: 'The language; without it, the one that Accept-Language prefers, else Indonesian.',
  schema: { type: 'string', enum: ['id', 'en'] },
  example: 'id',
};

/** The parameter that chooses the lifetime of a file. */
export const EXPIRES: Parameter = {
  name: 'expires',
  in: 'query',
  description:
    'How long to keep the file: a number and s, m, h or d. It is never kept for longer than the service allows.',
  schema: { type: 'string' },
  example: '1h',
};

export function response(
  type: string,
  content: Content,
  description: string,
  headerNames: readonly string[],
): ResponseObject {
  return { description, headers: headers(headerNames), content: { [type]: content } };
}

/** The 304 to a conditional request whose copy is current. */
export const NOT_MODIFIED = 'The copy that you have is current.';

/** The 412 to `If-Match` or `If-Unmodified-Since` for another version. */
export const OTHER_VERSION = 'This is not the version that If-Match or If-Unmodified-Since names.';

/** A document: whole, or not modified. */
export function documentResponses(
  type: string,
  content: Content,
  description: string,
  headerNames: readonly string[],
): Operation['responses'] {
  return {
    200: response(type, content, description, [...DOCUMENT_HEADERS, ...headerNames]),
    304: { description: NOT_MODIFIED, headers: headers([...DOCUMENT_HEADERS, ...headerNames]) },
    ...failures({ 406: 'None of the encodings that you accept is offered.', 412: OTHER_VERSION }),
  };
}

/** Errors, in JSON or, for a browser, as a page; `headerNames`: headers beside those that every error has. */
export function failures(
  reasons: Record<number, string>,
  headerNames: readonly string[] = [],
): Operation['responses'] {
  const entries = Object.entries(reasons).map(([status, description]): [string, ResponseObject] => {
    const retryAfter = HAS_RETRY_AFTER.has(status) ? ['Retry-After'] : [];
    const all = new Set([
      ...UNCACHED_HEADERS,
      'X-Request-Id',
      ...CORS_HEADERS,
      ...headerNames,
      ...retryAfter,
    ]);
    const example = { status: false, message: messageOf(description) };
    const content = {
      'application/json': { schema: component('Error'), example },
      'text/html': TEXT,
    };
    return [status, { description, headers: headers([...all]), content }];
  });
  return Object.fromEntries(entries);
}

/** Messages begin with a small letter and have no full stop. */
function messageOf(description: string): string {
  return `${description.charAt(0).toLowerCase()}${description.slice(1, -1)}`;
}

const HAS_RETRY_AFTER = new Set(['429', '503']);

export const TEXT: Content = { schema: { type: 'string' } };

/** The statuses that tus adds to those of HTTP. */
const TUS_STATUS_CODES: Record<string, string> = { 460: 'Checksum Mismatch' };

/** `Not Found`; empty for a status that has no name. */
export function nameOfStatus(status: string): string {
  return STATUS_CODES[status] ?? TUS_STATUS_CODES[status] ?? '';
}

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

export interface Answer {
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
  responses: Record<string, Answer>;
}

export type Method = 'get' | 'head' | 'post' | 'patch' | 'delete';
export type Path = Partial<Record<Method, Operation>> & { servers?: { url: string; description: string }[] };
export type Paths = Record<string, Path>;

/** The headers of every answer, of a document, of an answer that no cache keeps, and of a page. */
export const CORS = ['Access-Control-Allow-Origin', 'Access-Control-Expose-Headers'];
export const DOCUMENT = ['ETag', 'Last-Modified', 'Cache-Control', 'X-Content-Type-Options'];
export const UNKEPT = ['Cache-Control', 'X-Content-Type-Options'];
export const PAGE = ['Content-Security-Policy', 'Content-Language', 'Referrer-Policy'];

export const component = (name: string) => ({ $ref: `#/components/schemas/${name}` });

/** The parameter that chooses the language of a page. */
export const LANG: Parameter = {
  name: 'lang',
  in: 'query',
  description: 'The language; without it, the one that Accept-Language prefers, else Indonesian.',
  schema: { type: 'string', enum: ['id', 'en'] },
  example: 'id',
};

/** The parameter that chooses the life of a file. */
export const EXPIRES: Parameter = {
  name: 'expires',
  in: 'query',
  description:
    'How long to keep the file: a number and s, m, h or d. It is never kept for longer than the service allows.',
  schema: { type: 'string' },
  example: '1h',
};

export function answer(
  type: string,
  content: Content,
  description: string,
  names: readonly string[],
): Answer {
  return { description, headers: headers(names), content: { [type]: content } };
}

/** The answer to a conditional request whose copy is current. */
export const NOT_MODIFIED = 'The copy that you have is current.';

/** The answer to `If-Match` or `If-Unmodified-Since` for another version. */
export const OTHER_VERSION = 'This is not the version that If-Match or If-Unmodified-Since names.';

/** A document: whole, or not modified. */
export function documentAnswers(
  type: string,
  content: Content,
  description: string,
  names: readonly string[],
): Operation['responses'] {
  return {
    200: answer(type, content, description, [...DOCUMENT, ...names]),
    304: { description: NOT_MODIFIED, headers: headers([...DOCUMENT, ...names]) },
    ...failures({ 406: 'None of the encodings that you accept is offered.', 412: OTHER_VERSION }),
  };
}

/** Errors, in JSON or, for a browser, as a page; `names`: headers beside those that every error has. */
export function failures(
  reasons: Record<number, string>,
  names: readonly string[] = [],
): Operation['responses'] {
  const entries = Object.entries(reasons).map(([status, description]): [string, Answer] => {
    const waiting = WAITING.has(status) ? ['Retry-After'] : [];
    const all = new Set([...UNKEPT, 'X-Request-Id', ...CORS, ...names, ...waiting]);
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

const WAITING = new Set(['429', '503']);

export const TEXT: Content = { schema: { type: 'string' } };

/** A status of the protocol for resumable uploads, and not of HTTP. */
const TUS_STATUS_CODES: Record<string, string> = { 460: 'Checksum Mismatch' };

/** `Not Found`; empty for a status that has no name. */
export function nameOfStatus(status: string): string {
  return STATUS_CODES[status] ?? TUS_STATUS_CODES[status] ?? '';
}

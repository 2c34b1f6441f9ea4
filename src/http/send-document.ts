import type { IncomingHttpHeaders, IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Context, Middleware } from 'koa';
import type { Document } from '../publishing/document.ts';
import { answer } from './answer.ts';

export interface DocumentSource {
  /** The document at a path; undefined when there can be none. Throws AppError when there should be one. */
  find: (path: string, query: string, headers: IncomingHttpHeaders) => Document | undefined;
  /** Headers that go with the document of a path now, names and values in turn. The same array while they hold. */
  headers: (path: string) => readonly string[];
  /** Wall clock, ms since 1970. */
  now: () => number;
}

/** Counts a document that was sent: `method` is GET or HEAD, `status` 200 or 304. */
export type CountDocument = (path: string, method: string, status: number) => void;

/** Sends past Koa's own response, which sets headers one by one: that would be half of what a request costs. */
export function sendDocument(
  request: IncomingMessage,
  response: ServerResponse,
  document: Document,
  source: Omit<DocumentSource, 'find'>,
): void {
  const { status, headers, body, rest } = answer(document, request.headers, source.now());
  response.writeHead(status, together(headers, source.headers(pathOf(request))) as string[]);
  if (request.method === 'HEAD') return void response.end();
  if (rest.length === 0) return void response.end(body);
  response.write(body);
  for (const piece of rest) response.write(piece);
  response.end();
}

/** The same within Koa, which then leaves the response alone. */
export function respondWith(ctx: Context, document: Document, source: Omit<DocumentSource, 'find'>): void {
  sendDocument(ctx.req, ctx.res, document, source);
  ctx.respond = false;
}

/** Sends the document at the path, where there is one. */
export function documents(source: DocumentSource): Middleware {
  return (ctx, next) => {
    const document = source.find(ctx.path, ctx.querystring, ctx.req.headers);
    return document ? respondWith(ctx, document, source) : next();
  };
}

/**
 * Answers with documents that are there, and leaves everything else to `others`, where errors are caught. It stands
 * before Koa: what that sets up for each request costs one that needs none of it a tenth of its time. Without `count`
 * nothing is counted.
 */
export function documentsBefore(
  others: RequestListener,
  source: DocumentSource,
  count?: CountDocument,
): RequestListener {
  return (request, response) => {
    if (!sendAtOnce(request, response, source)) return others(request, response);
    count?.(pathOf(request), request.method ?? '', response.statusCode);
  };
}

function sendAtOnce(request: IncomingMessage, response: ServerResponse, source: DocumentSource): boolean {
  const { method, url = '' } = request;
  if (method !== 'GET' && method !== 'HEAD') return false;
  const path = pathOf(request);
  try {
    const document = source.find(path, url.slice(path.length + 1), request.headers);
    if (document) sendDocument(request, response, document, source);
    return document !== undefined;
  } catch {
    return false;
  }
}

function pathOf({ url = '' }: IncomingMessage): string {
  const mark = url.indexOf('?');
  return mark < 0 ? url : url.slice(0, mark);
}

const joined = new WeakMap<readonly string[], { to: readonly string[]; all: readonly string[] }>();

/** Both lists stay the same for many requests, and so does what they make. */
function together(own: readonly string[], headers: readonly string[]): readonly string[] {
  const known = joined.get(own);
  if (known?.to === headers) return known.all;
  const all = own.concat(headers);
  joined.set(own, { to: headers, all });
  return all;
}

import type { IncomingHttpHeaders } from 'node:http';
import type { Context, Middleware } from 'koa';
import type { Document } from '../publishing/document.ts';
import { answer } from './answer.ts';

export interface DocumentSource {
  /** The document at a path; undefined when there can be none. Throws AppError when there should be one. */
  find: (path: string, query: string, headers: IncomingHttpHeaders) => Document | undefined;
  /** Headers that go with every document at this moment, names and values in turn. */
  headers: () => readonly string[];
}

/** Sends past Koa's own response, which sets headers one by one: that would be half of what a request costs. */
export function sendDocument(ctx: Context, document: Document, headers: readonly string[]): void {
  const { status, headers: own, body } = answer(document, ctx.req.headers);
  ctx.respond = false;
  ctx.res.writeHead(status, own.concat(headers) as string[]);
  ctx.res.end(ctx.req.method === 'HEAD' ? undefined : body);
}

/** Sends the document at the path, where there is one. */
export function documents({ find, headers }: DocumentSource): Middleware {
  return (ctx, next) => {
    if (ctx.req.method !== 'GET' && ctx.req.method !== 'HEAD') return next();
    const document = find(ctx.path, ctx.querystring, ctx.req.headers);
    return document ? sendDocument(ctx, document, headers()) : next();
  };
}

/**
 * The first middleware, where nearly every request ends, before anything is set up for the others. What it cannot
 * answer comes to `documents` once more, where errors are caught.
 */
export function readyDocuments(source: DocumentSource): Middleware {
  const send = documents(source);
  return (ctx, next) => {
    try {
      return send(ctx, next);
    } catch {
      return next();
    }
  };
}

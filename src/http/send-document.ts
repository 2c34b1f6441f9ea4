import type { IncomingHttpHeaders } from 'node:http';
import type { Context, Middleware } from 'koa';
import type { Document } from '../publishing/document.ts';
import { answer } from './answer.ts';
import type { Tally } from './tally.ts';

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

/** Sends the document at the path, where there is one. Without a tally nothing is counted. */
export function documents({ find, headers }: DocumentSource, tally?: Tally): Middleware {
  return (ctx, next) => {
    if (ctx.req.method !== 'GET' && ctx.req.method !== 'HEAD') return next();
    const document = find(ctx.path, ctx.querystring, ctx.req.headers);
    if (!document) return next();
    sendDocument(ctx, document, headers());
    return tally?.add(ctx.path, ctx.req.method, ctx.res.statusCode);
  };
}

/**
 * The first middleware, where nearly every request ends, before anything is set up for the others. What it cannot
 * answer comes to `documents` once more, where errors are caught.
 */
export function readyDocuments(source: DocumentSource, tally?: Tally): Middleware {
  const send = documents(source, tally);
  return (ctx, next) => {
    try {
      return send(ctx, next);
    } catch {
      return next();
    }
  };
}

import type { IncomingHttpHeaders } from 'node:http';
import type { Context, Middleware } from 'koa';
import type { Document } from '../publishing/document.ts';
import { answer } from './answer.ts';
import type { Tally } from './tally.ts';

export interface DocumentSource {
  /** The document at a path; undefined when there can be none. Throws AppError when there should be one. */
  find: (path: string, query: string, headers: IncomingHttpHeaders) => Document | undefined;
  /** Headers that go with every document at this moment, names and values in turn. The same array while they hold. */
  headers: () => readonly string[];
  /** Wall clock, ms since 1970. */
  now: () => number;
}

/** Sends past Koa's own response, which sets headers one by one: that would be half of what a request costs. */
export function sendDocument(ctx: Context, document: Document, source: Omit<DocumentSource, 'find'>): void {
  const { status, headers, body, rest } = answer(document, ctx.req.headers, source.now());
  ctx.respond = false;
  ctx.res.writeHead(status, together(headers, source.headers()) as string[]);
  if (ctx.req.method === 'HEAD') return void ctx.res.end();
  if (rest.length === 0) return void ctx.res.end(body);
  ctx.res.write(body);
  for (const piece of rest) ctx.res.write(piece);
  ctx.res.end();
}

/** Sends the document at the path, where there is one. */
export function documents(source: DocumentSource): Middleware {
  return (ctx, next) => {
    const document = source.find(ctx.path, ctx.querystring, ctx.req.headers);
    return document ? sendDocument(ctx, document, source) : next();
  };
}

/** For what is made while others are served already, in the first moment after a start: who asks that soon waits. */
export function waitFor(made: () => Promise<void>): Middleware {
  return async (_ctx, next) => {
    await made();
    return next();
  };
}

/**
 * Sends a document that is there, before anything is set up for requests that need more, and says whether it has:
 * nearly every request ends here. What it cannot answer comes to `documents`, where errors are caught. Without a tally
 * nothing is counted.
 */
export function createReadySender(source: DocumentSource, tally?: Tally): (ctx: Context) => boolean {
  return (ctx) => {
    const { method, url = '', headers: asked } = ctx.req;
    if (method !== 'GET' && method !== 'HEAD') return false;
    const mark = url.indexOf('?');
    const path = mark < 0 ? url : url.slice(0, mark);
    try {
      const document = source.find(path, mark < 0 ? '' : url.slice(mark + 1), asked);
      if (!document) return false;
      sendDocument(ctx, document, source);
    } catch {
      return false;
    }
    tally?.add(path, method, ctx.res.statusCode);
    return true;
  };
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

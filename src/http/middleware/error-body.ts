import type { Context, Middleware } from 'koa';
import { AppError, STATUS_OF } from '../../domain/errors.ts';
import type { Report } from '../../domain/operational-event.ts';
import { PAGE_POLICY } from '../../pages/layout.ts';
import { loggedPath, REQUEST_ID, requestId } from './request-log.ts';

const DEFAULT_RETRY_MS = 10_000;

/** The body of an error that is neither a page nor the usual JSON; undefined for one of those. */
export type PresentError = (ctx: Context, status: number, message: string) => string | object | undefined;

/** Renders the page of an error, in the language of the request where there are several. */
export type RenderError = (status: number, message: string, ctx: Context) => string;

/**
 * The address of an error's page, relative to it; the front page where a form led to it. Without its query, which may hold a
 * secret of the uploads.
 */
export function ownAddress({ method }: Context): string {
  return method === 'GET' || method === 'HEAD' ? '' : '/';
}

/**
 * Catches what the routes of an app throw, and a missing route, and responds with JSON or, to a browser, with a page
 * where there are pages. An error other than an AppError is reported in full to the operator; the client gets `internal`.
 * `presentError` has precedence over both forms.
 */
export function errorBody(report: Report, renderPage?: RenderError, presentError?: PresentError): Middleware {
  function write(ctx: Context, error: AppError): void {
    writeHead(ctx, error);
    const body = presentError?.(ctx, ctx.status, error.message);
    if (body !== undefined) sendBody(ctx, body);
    else if (renderPage && ctx.accepts('json', 'html') === 'html') {
      ctx.set('Content-Security-Policy', PAGE_POLICY);
      // The address of the page may hold a secret.
      ctx.set('Referrer-Policy', 'no-referrer');
      ctx.type = 'html';
      ctx.body = renderPage(ctx.status, error.message, ctx);
    } else {
      ctx.body = { status: false, message: error.message };
    }
  }

  return async (ctx, next) => {
    try {
      await next();
      if (ctx.status === 404 && ctx.body == null && ctx.respond !== false) {
        throw new AppError('not-found', `there is nothing at ${loggedPath(ctx.path)}`);
      }
    } catch (error) {
      if (error instanceof AppError) return write(ctx, error);
      const { method, path } = ctx;
      report({ type: 'request-failed', id: requestId(ctx), method, path: loggedPath(path), error });
      write(ctx, new AppError('internal', 'something went wrong here; try again'));
    }
  };
}

function writeHead(ctx: Context, error: AppError): void {
  ctx.state.code = error.code;
  ctx.status = STATUS_OF[error.code];
  ctx.set(REQUEST_ID, requestId(ctx));
  ctx.set('Cache-Control', 'no-store');
  ctx.set('X-Content-Type-Options', 'nosniff');
  if (ctx.status === 429 || ctx.status === 503) {
    ctx.set('Retry-After', String(Math.ceil((error.retryAfterMs ?? DEFAULT_RETRY_MS) / 1_000)));
  }
  ctx.vary('Accept');
}

/** Sends text as plain text, whatever it looks like, and anything else as JSON. */
export function sendBody(ctx: Context, body: string | object): void {
  if (typeof body === 'string') ctx.type = 'text/plain; charset=utf-8';
  ctx.body = body;
}

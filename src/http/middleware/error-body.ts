import type { Context, Middleware } from 'koa';
import { AppError } from '../../domain/errors.ts';
import type { Report } from '../../domain/operational-event.ts';
import { STATUS_OF } from '../status-of.ts';
import { loggedPath, REQUEST_ID, requestId } from './request-log.ts';

const DEFAULT_RETRY_MS = 10_000;

/** Sends the body of an error with the status of the context. */
export type SendError = (ctx: Context, message: string) => void;

export const sendJsonError: SendError = (ctx, message) => {
  ctx.body = { status: false, message };
};

/**
 * The address of an error's page, relative to it; the front page where a form led to it. Without its query, which may hold a
 * secret of the uploads.
 */
export function ownAddress({ method }: Context): string {
  return method === 'GET' || method === 'HEAD' ? '' : '/';
}

/**
 * Responds to errors thrown by the routes of an app, and to a missing route. An error other than an AppError is reported
 * in full to the operator; the client gets the result of `explain`.
 */
export function errorBody(
  report: Report,
  send = sendJsonError,
  explain: (error: unknown) => AppError = internalError,
): Middleware {
  return async (ctx, next) => {
    try {
      await next();
      if (ctx.status === 404 && ctx.body == null && ctx.respond !== false) {
        throw new AppError('not-found', `there is nothing at ${loggedPath(ctx.path)}`);
      }
    } catch (error) {
      const isExpected = error instanceof AppError;
      const { method, path } = ctx;
      if (!isExpected)
        report({ type: 'request-failed', id: requestId(ctx), method, path: loggedPath(path), error });
      const shown = isExpected ? error : explain(error);
      writeHead(ctx, shown);
      send(ctx, shown.message);
    }
  };
}

/** The message for clients about a defect. */
export const internalError = () => new AppError('internal', 'something went wrong here; try again');

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

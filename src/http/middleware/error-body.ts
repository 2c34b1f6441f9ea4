import type { Context, Middleware } from 'koa';
import { AppError } from '../../domain/errors.ts';
import type { Report } from '../../domain/operational-event.ts';
import { renderErrorPage } from '../../pages/error.ts';
import { UPLOAD_WORDS } from '../../pages/i18n/uploads.ts';
import { PAGE_POLICY } from '../../pages/layout.ts';
import { STATUS_OF } from '../error-status.ts';
import { loggedPath } from '../logged-path.ts';
import { REQUEST_ID, requestId } from '../request-id.ts';

const DEFAULT_RETRY_MS = 10_000;

/** The page of an error; the request says in which language, where there are several. */
export type RenderError = (status: number, message: string, ctx: Context) => string;

const renderEnglish: RenderError = (status, message) => renderErrorPage({ status, message }, UPLOAD_WORDS.en);

/**
 * The only catch of an app: every failure becomes a body of one shape, or a page for a browser. What nobody
 * expected is "internal" for the client and told in full to the operator.
 */
export function errorBody(report: Report, renderPage: RenderError = renderEnglish): Middleware {
  return async (ctx, next) => {
    try {
      await next();
      if (ctx.status === 404 && ctx.body == null && ctx.respond !== false) {
        throw new AppError('not-found', `there is nothing at ${loggedPath(ctx.path)}`);
      }
    } catch (error) {
      if (!(error instanceof AppError))
        report({
          type: 'request-failed',
          id: requestId(ctx),
          method: ctx.method,
          path: loggedPath(ctx.path),
          error,
        });
      const told = error instanceof AppError ? error : new AppError('internal', UNEXPECTED);
      writeError(ctx, told, renderPage);
    }
  };
}

const UNEXPECTED = 'something went wrong here; try again';

function writeError(ctx: Context, error: AppError, renderPage: RenderError): void {
  ctx.state.code = error.code;
  ctx.status = STATUS_OF[error.code];
  ctx.set(REQUEST_ID, requestId(ctx));
  ctx.set('Cache-Control', 'no-store');
  ctx.set('X-Content-Type-Options', 'nosniff');
  if (ctx.status === 429 || ctx.status === 503) {
    ctx.set('Retry-After', String(Math.ceil((error.retryAfterMs ?? DEFAULT_RETRY_MS) / 1_000)));
  }
  ctx.vary('Accept');
  if (ctx.accepts('json', 'html') === 'html') {
    ctx.set('Content-Security-Policy', PAGE_POLICY);
    // The address of a page may be a secret one.
    ctx.set('Referrer-Policy', 'no-referrer');
    ctx.type = 'html';
    ctx.body = renderPage(ctx.status, error.message, ctx);
  } else {
    ctx.body = { status: false, message: error.message };
  }
}

import Router from '@koa/router';
import Koa from 'koa';
import type { Report } from '../../domain/operational-event.ts';
import { type ListingView, presentReadiness, sendState } from '../health.ts';
import { allowedMethods } from '../middleware/allowed-methods.ts';
import { defaultHeaders } from '../middleware/default-headers.ts';
import { errorBody } from '../middleware/error-body.ts';

/** What has been measured, as text in the form of a monitoring system. */
export interface Measured {
  contentType: string;
  read(): Promise<string>;
}

/** The app at METRICS_PORT, for the operator alone. */
export function createOperationsApp(view: ListingView, measured: Measured, report: Report): Koa {
  const router = new Router({ strict: true, sensitive: true });
  router.get('/metrics', async (ctx) => {
    const text = await measured.read();
    ctx.set('Content-Type', measured.contentType);
    ctx.body = text;
  });
  router.get('/healthz', (ctx) => sendState(ctx, { status: true }));
  router.get('/readyz', (ctx) => sendState(ctx, presentReadiness(view)));

  const app = new Koa();
  // What is thrown is caught below; what is left are connections that break, which is no news.
  app.silent = true;
  app.use(defaultHeaders);
  app.use(errorBody(report));
  app.use(allowedMethods(router, () => false));
  app.use(router.routes());
  return app;
}

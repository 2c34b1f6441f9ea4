import Koa from 'koa';
import type { Report } from '../../domain/operational-event.ts';
import { type ListingView, routeHealth } from '../health.ts';
import { allowedMethods } from '../middleware/allowed-methods.ts';
import { errorBody } from '../middleware/error-body.ts';
import { defaultHeaders } from '../middleware/response-headers.ts';
import { Router } from '../modules.ts';

/** The metrics of the process in the text format of a monitoring system. */
interface MetricsText {
  contentType: string;
  read(): Promise<string>;
}

/** Creates the app at METRICS_PORT, which is for the operator alone. */
export function createOperationsApp(view: ListingView, metrics: MetricsText, report: Report): Koa {
  const router = new Router({ strict: true, sensitive: true });
  router.get('/metrics', async (ctx) => {
    const text = await metrics.read();
    ctx.set('Content-Type', metrics.contentType);
    ctx.body = text;
  });
  routeHealth(router, view);

  const app = new Koa();
  // `errorBody` handles errors. Koa itself would only print those of broken connections.
  app.silent = true;
  app.use(defaultHeaders);
  app.use(errorBody(report));
  app.use(allowedMethods(router, () => false));
  app.use(router.routes());
  return app;
}

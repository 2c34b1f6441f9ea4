import Koa, { type Context } from 'koa';

const SENT = Promise.resolve();

type Handle = (ctx: Context, middleware: unknown) => Promise<void>;

/**
 * Koa, but `sendReady` comes before its middleware: setting up for that, which waits for the end of the response and
 * makes promises, costs a request that needs neither a tenth of its time. docs/decisions/0015.
 */
export function createDocumentApp(sendReady: (ctx: Context) => boolean): Koa {
  const app = new Koa() as Koa & { handleRequest: Handle };
  // What is thrown is caught in the middleware; what is left are connections that break, which is no news.
  app.silent = true;
  const handle: Handle = app.handleRequest.bind(app);
  app.handleRequest = (ctx, middleware) => (sendReady(ctx) ? SENT : handle(ctx, middleware));
  return app;
}

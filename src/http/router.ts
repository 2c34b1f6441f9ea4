import { createRequire } from 'node:module';

/** The CommonJS build of the router: the other one imports all of `node:http` (node-http.ts). */
export const Router: typeof import('@koa/router').default = createRequire(import.meta.url)('@koa/router');

import { createRequire } from 'node:module';

/** The CommonJS build of the router: the other build imports all of `node:http`, which is slow (node-http.ts). */
export const Router: typeof import('@koa/router').default = createRequire(import.meta.url)('@koa/router');

import { createRequire } from 'node:module';

/**
 * Values of Node's HTTP module. An `import` of them would read every getter of the module, and one of these loads undici,
 * which adds 50 ms to the start of a thread.
 */
export const { createServer, IncomingMessage, STATUS_CODES } = process.getBuiltinModule('node:http');

/** The CommonJS build of the router: the other one imports all of `node:http`. */
export const Router: typeof import('@koa/router').default = createRequire(import.meta.url)('@koa/router');

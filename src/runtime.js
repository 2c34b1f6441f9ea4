// The settings of every thread. They are plain JavaScript, because they must apply before any TypeScript is loaded.
import { executionAsyncResource } from 'node:async_hooks';
import { Buffer } from 'node:buffer';
import { cacheCompiledModules } from './app/compile-cache.js';

cacheCompiledModules();

// A small buffer is a slice of a pool, and keeps the whole pool in memory. With Node's default of 64 KB, a document or a
// cached page of 5 KB that outlives its neighbours would take thirteen times its size.
Buffer.poolSize = 8 * 1024;

// process.nextTick makes an object. V8 forgets its shape when a full collection finds no such object alive, and from then on
// each call takes four times as long. One object that stays alive prevents that (docs/decisions/0037-one-tick-stays-alive.md).
export const tick = await new Promise((resolve) => {
  process.nextTick(() => resolve(executionAsyncResource()));
});

// The settings of every thread. They are plain JavaScript, because they must apply before any TypeScript is loaded.
import { Buffer } from 'node:buffer';
import { enableCompileCache } from 'node:module';

// Node caches the compiled modules, so it strips the types of a module only once.
enableCompileCache();

// A small buffer is a slice of a pool, and keeps the whole pool in memory. With Node's default of 64 KB, a document or a
// cached page of 5 KB that outlives its neighbours would take thirteen times its size.
Buffer.poolSize = 8 * 1024;

// The settings of every thread, in plain JavaScript: they have to apply before anything in TypeScript is loaded.
import { Buffer } from 'node:buffer';
import { enableCompileCache } from 'node:module';

// Taking the types off is done once an installation.
enableCompileCache();

// A small buffer is a part of a pool, and keeps the whole pool alive. With Node's default of 64 KB, a document or a cached
// page of 5 KB that outlives its neighbours would take thirteen times its size.
Buffer.poolSize = 8 * 1024;

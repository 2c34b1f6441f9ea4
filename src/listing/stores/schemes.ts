import type { Store } from '../snapshot-store.ts';
import { openMemoryStore } from './memory.ts';
import { openRedisStore } from './redis.ts';
import { openSqliteStore } from './sqlite.ts';

/** A store is a file of this folder and a line here; its options travel in its URL. */
export const STORE_SCHEMES: Record<string, (url: string) => Promise<Store>> = {
  'memory:': openMemoryStore,
  'sqlite:': openSqliteStore,
  'redis:': openRedisStore,
  'rediss:': openRedisStore,
};

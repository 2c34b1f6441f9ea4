import type { Store, StoreOptions } from '../snapshot-store.ts';
import { openMemoryStore } from './memory.ts';
import { openSqliteStore } from './sqlite.ts';

const openRedis = async (url: string) => (await import('./redis.ts')).openRedisStore(url);

/** A store is a file of this folder and a line here; its options travel in its URL. */
export const STORE_SCHEMES: Record<string, (url: string, options?: StoreOptions) => Promise<Store>> = {
  'memory:': openMemoryStore,
  'sqlite:': openSqliteStore,
  'redis:': openRedis,
  'rediss:': openRedis,
};

import type { Store, StoreOptions } from './store.ts';

const openRedis = async (url: string, options?: StoreOptions) =>
  (await import('./drivers/redis.ts')).openRedisStore(url, options);

/** Only the chosen driver is loaded. A store is a file of this folder and a line here; its options travel in its URL. */
export const STORE_DRIVERS: Record<string, (url: string, options?: StoreOptions) => Promise<Store>> = {
  'memory:': async () => (await import('./drivers/memory.ts')).openMemoryStore(),
  'sqlite:': async (url, options) => (await import('./drivers/sqlite.ts')).openSqliteStore(url, options),
  'redis:': openRedis,
  'rediss:': openRedis,
};

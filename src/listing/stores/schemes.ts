import type { Store } from '../snapshot-store.ts';
import { openMemoryStore } from './memory.ts';
import { openSqliteStore } from './sqlite.ts';

/** A store is a file of this folder and a line here; its options travel in its URL. */
export const STORE_SCHEMES: Record<string, (url: string) => Promise<Store>> = {
  'memory:': openMemoryStore,
  'sqlite:': openSqliteStore,
};

/** Opens the store that CACHE_URL names; configuration has checked the scheme. */
export function openStore(url: string): Promise<Store> {
  const open = STORE_SCHEMES[schemeOf(url)];
  if (!open) throw new Error(`no store for ${url}`);
  return open(url);
}

export function schemeOf(url: string): string {
  return url.slice(0, url.indexOf(':') + 1);
}

import path from 'node:path';
import type { Storage } from '../storage.ts';
import { openDiskStorage } from './disk.ts';

/** A storage is a file of this folder and a line here; its options travel in its URL. `now`: ms since 1970. */
export const STORAGE_SCHEMES: Record<string, (url: string, now: () => number) => Promise<Storage>> = {
  'file:': (url, now) => openDiskStorage(path.resolve(url.slice('file:'.length)), now),
};

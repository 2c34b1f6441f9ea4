import path from 'node:path';
import type { Storage } from '../storage.ts';

/** `clock`: ms since 1970. */
type OpenStorage = (url: string, clock: () => number) => Promise<Storage>;

/** Only the chosen driver is loaded. A storage is a file of this folder and a line here; its URL holds its options. */
export const STORAGE_DRIVERS: Record<string, OpenStorage> = {
  'file:': async (url, clock) =>
    (await import('./disk.ts')).openDiskStorage(path.resolve(url.slice('file:'.length)), clock),
  's3:': async (url, clock) => (await import('./s3.ts')).openS3Storage(url, clock),
};

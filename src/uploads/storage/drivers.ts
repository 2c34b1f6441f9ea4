import path from 'node:path';
import type { Storage } from '../storage.ts';

/** Only the chosen driver is loaded. A storage is a file of this folder and a line here; its URL holds its options. */
export const STORAGE_DRIVERS: Record<string, (url: string) => Promise<Storage>> = {
  'file:': async (url) =>
    (await import('./disk.ts')).openDiskStorage(path.resolve(url.slice('file:'.length))),
  's3:': async (url) => (await import('./s3.ts')).openS3Storage(url),
};

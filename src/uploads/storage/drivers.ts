import path from 'node:path';
import type { Storage } from '../storage.ts';

/** The folder of a storage `file:PATH`; undefined for other storages. */
export function storageFolder(url: string): string | undefined {
  return url.startsWith(FILE) ? path.resolve(url.slice(FILE.length)) : undefined;
}

const FILE = 'file:';

/** Only the chosen driver is loaded. A storage is a file of this folder and a line here; its URL holds its options. */
export const STORAGE_DRIVERS: Record<string, (url: string) => Promise<Storage>> = {
  [FILE]: async (url) => (await import('./disk.ts')).openDiskStorage(storageFolder(url) ?? ''),
  's3:': async (url) => (await import('./s3.ts')).openS3Storage(url),
};

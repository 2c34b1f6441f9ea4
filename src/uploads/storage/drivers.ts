import path from 'node:path';
import type { Report } from '../../domain/operational-event.ts';
import type { Storage } from '../storage.ts';

export interface StorageOptions {
  /** Ms since 1970. */
  clock: () => number;
  report: Report;
}

/** Only the chosen driver is loaded. A storage is a file of this folder and a line here; its URL holds its options. */
export const STORAGE_DRIVERS: Record<string, (url: string, options: StorageOptions) => Promise<Storage>> = {
  'file:': async (url, { clock }) =>
    (await import('./disk.ts')).openDiskStorage(path.resolve(url.slice('file:'.length)), clock),
  's3:': async (url, options) => (await import('./s3.ts')).openS3Storage(url, options),
};

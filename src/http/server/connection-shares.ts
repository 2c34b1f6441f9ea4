import { readFile } from 'node:fs/promises';

/** The usual limit of a process, for systems without /proc. */
const DEFAULT_DESCRIPTORS = 1_024;
const MAX_LISTING = 25_000;
const MAX_UPLOADS = 2_000;
const MAX_OPERATIONS = 32;

/** How many connections each origin may have. */
export interface ConnectionShares {
  listing: number;
  uploads: number;
  /** Keeps one client from taking all the connections of the uploads. */
  uploadsPerClient: number;
  operations: number;
}

/** Reads how many files and connections this process may have open. */
export async function readDescriptorLimit(): Promise<number> {
  const limits = await readFile('/proc/self/limits', 'utf8').catch(() => '');
  const [, soft] = /^Max open files\s+(\d+)/mu.exec(limits) ?? [];
  return Number(soft ?? DEFAULT_DESCRIPTORS);
}

/**
 * Divides the descriptors among the origins, so that a flood on one leaves the others theirs. An upload takes up to two
 * descriptors; about a quarter of all is left for refusals, files and stores.
 */
export function shareConnections(descriptors: number): ConnectionShares {
  const uploads = Math.min(Math.floor(descriptors / 6), MAX_UPLOADS);
  return {
    listing: Math.min(Math.floor((descriptors * 3) / 8), MAX_LISTING),
    uploads,
    uploadsPerClient: Math.ceil(uploads / 4),
    operations: MAX_OPERATIONS,
  };
}

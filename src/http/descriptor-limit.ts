import { readFile } from 'node:fs/promises';

/** What every process may open, where nobody tells. */
const USUAL_DESCRIPTORS = 1_024;
const MAX_LISTING = 25_000;
const MAX_UPLOADS = 2_000;
const MAX_OPERATIONS = 32;

export interface ConnectionShares {
  listing: number;
  uploads: number;
  /** One client alone shall not keep the others out. */
  uploadsPerClient: number;
  operations: number;
}

/** How many files and connections this process may have open. */
export async function readDescriptorLimit(): Promise<number> {
  const limits = await readFile('/proc/self/limits', 'utf8').catch(() => '');
  const [, soft] = /^Max open files\s+(\d+)/mu.exec(limits) ?? [];
  return Number(soft ?? USUAL_DESCRIPTORS);
}

/**
 * The connections that each origin may have, so that one that is flooded leaves the others theirs. An upload takes up
 * to two descriptors; about a quarter of all is left for refusals, files and stores.
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

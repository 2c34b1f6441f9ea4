import type { Document } from './publishing/document.ts';

/** What both listeners are handed. */
export interface Shared {
  /** What lies at fixed places of both origins, by its path. */
  assets: ReadonlyMap<string, Document>;
  /** Resolves once `assets` has what describes the API. */
  described: () => Promise<void>;
}

/** How long what is in flight may take to finish when the service stops. */
export const GRACE_MS = 30_000;

/** One listener of the service, with what stands behind it. */
export interface Started {
  /** Where it is bound: `http://ADDRESS:PORT`. */
  address: string;
  /** Public origin. */
  url: string;
  /** Stops accepting, finishes what is in flight, then lets go of everything. */
  stop(): Promise<void>;
}

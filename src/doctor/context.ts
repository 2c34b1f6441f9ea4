import type { SnapshotStore } from '../crawler/snapshot-store.ts';
import type { PageFetcher } from '../source/fetch-page.ts';
import type { Site } from '../source/sites/site.ts';
import type { Storage } from '../uploads/storage.ts';

/** What the checks ask of the configuration. */
export interface Settings {
  port: number;
  /** Null: the default, localhost and the port. */
  baseUrl: string | null;
  dataDir: string;
  cacheUrl: string;
  timeZone: string;
  refreshCron: string | null;
  source: { urls: readonly string[]; delayMs: number; timeoutMs: number; proxy: string | undefined };
  upload: {
    port: number;
    url: string | null;
    storageUrl: string;
    limiterUrl: string;
    maxBytes: number;
    quotaBytes: number;
    ownerBytes: number;
    ttlMs: number;
  };
}

/** All that the doctor is handed. What is opened may fail to: that is for a check to tell. */
export interface DoctorContext {
  settings: Settings;
  site: Site;
  fetcher: PageFetcher;
  /** Both open at the first call, and fail at each if that failed. */
  openStore(): Promise<SnapshotStore>;
  openStorage(): Promise<Storage>;
  /** Wall clock, ms since 1970. */
  now(): number;
  /** A clock that only goes forward, ms. */
  elapsedMs(): number;
  /** So many bytes fit for a secret. */
  randomBytes(size: number): Uint8Array;
}

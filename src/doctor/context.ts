import type { SnapshotStore } from '../crawler/snapshot-store.ts';
import type { Report } from '../domain/operational-event.ts';
import type { HttpClient } from '../outbound/http-client.ts';
import type { Site } from '../source/sites/site.ts';
import type { Source } from '../source/source.ts';
import type { Storage } from '../uploads/storage.ts';
import type { ReceiverAddress } from '../webhooks/receiver-address.ts';

/** The part of the configuration that the checks use. */
export interface Settings {
  port: number;
  /** Null for the default: localhost and the port. */
  baseUrl: string | null;
  dataDir: string;
  cacheUrl: string;
  timeZone: string;
  refreshCron: string | null;
  readsDetails: boolean;
  source: { urls: readonly string[]; delayMs: number; timeoutMs: number; proxy: string | undefined };
  webhooks: { receivers: readonly ReceiverAddress[]; secret: string | null };
  upload: {
    port: number;
    url: string | null;
    storageUrl: string;
    limiterUrl: string;
    scannerUrl: string | null;
    maxBytes: number;
    quotaBytes: number;
    ownerBytes: number;
    ttlMs: number;
    resumeTtlMs: number;
  };
}

/** Everything that the checks use. */
export interface DoctorContext {
  settings: Settings;
  site: Pick<Site, 'name'>;
  openSource(report: Report): Source;
  webhookClient: Pick<HttpClient, 'fetch'>;
  /** Both open once; every call rejects when that fails, which a check reports. */
  openStore(): Promise<SnapshotStore>;
  openStorage(): Promise<Storage>;
  /** Wall clock, ms since 1970. */
  now(): number;
  /** 0 to 1. */
  random(): number;
  /** Bytes from a secure generator. */
  randomBytes(size: number): Uint8Array;
}

/** Calls `make` once, at the first call, and returns its promise from then on, also when it rejects. */
export function memoize<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

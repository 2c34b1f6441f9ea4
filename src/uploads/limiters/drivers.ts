import type { DependencyCheck } from '../../domain/health.ts';
import type { Limiter } from '../../network/limiter.ts';
import type { LedgerOptions, UploadLedger } from '../ledger.ts';

/** One authority for all limits of uploads: what counts rates, uploads under way and bytes. */
export interface Limits {
  /** Limits rates in windows of this length, above 0. Keys must not be used in windows of other lengths. */
  openWindow(windowMs: number): Limiter;
  ledger: UploadLedger;
  /** Absent where nothing can fail. */
  checks?: Record<'limiter' | 'quota', DependencyCheck>;
  close(): Promise<void>;
}

const openRedis = async (url: string, options: LedgerOptions) =>
  (await import('./redis.ts')).openRedisLimits(url, options);

/** Only the chosen driver is loaded. A driver is a file of this folder and a line here; its URL holds its options. */
export const LIMITER_DRIVERS: Record<string, (url: string, options: LedgerOptions) => Promise<Limits>> = {
  'memory:': async (_url, options) => (await import('./memory.ts')).openMemoryLimits(options),
  'redis:': openRedis,
  'rediss:': openRedis,
};

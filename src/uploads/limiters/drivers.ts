import type { Report } from '../../domain/operational-event.ts';
import type { Limiter } from '../limiter.ts';

export interface LimiterOptions {
  /** Above 0. */
  windowMs: number;
  /** Monotonic, ms, with fractions. */
  elapsedMs: () => number;
  report: Report;
}

const openRedis = async (url: string, options: LimiterOptions) =>
  (await import('./redis.ts')).openRedisLimiter(url, options);

/** Only the chosen driver is loaded. A limiter is a file of this folder and a line here; its URL holds its options. */
export const LIMITER_DRIVERS: Record<string, (url: string, options: LimiterOptions) => Promise<Limiter>> = {
  'memory:': async (_url, options) => (await import('./memory.ts')).openMemoryLimiter(options),
  'redis:': openRedis,
  'rediss:': openRedis,
};

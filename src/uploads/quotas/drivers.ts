import type { Quota, QuotaOptions } from '../quota.ts';

const openRedis = async (url: string, options: QuotaOptions) =>
  (await import('./redis.ts')).openRedisQuota(url, options);

/** The quotas by the scheme of UPLOAD_LIMITER_URL: processes that share a limiter share the quota. Only the chosen driver is loaded. */
export const QUOTA_DRIVERS: Record<string, (url: string, options: QuotaOptions) => Promise<Quota>> = {
  'memory:': async (_url, options) => (await import('./process.ts')).openProcessQuota(options),
  'redis:': openRedis,
  'rediss:': openRedis,
};

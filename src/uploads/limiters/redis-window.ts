import { type LimitBucket, type Limiter, type RateLimitState, tighter } from '../../network/limiter.ts';
import type { RedisConnection } from '../../redis/connection.ts';
import { scriptFile } from '../../redis/script.ts';

const SCRIPT = scriptFile(new URL('window.lua', import.meta.url));

/**
 * An exact sliding window that all processes on one Redis share, by the clock of Redis. Idle buckets expire. Rejects
 * when Redis does not answer in time. `clock` replaces the clock of Redis in tests; ms, precise to the microsecond.
 */
export function openRedisWindow(
  redis: Pick<RedisConnection, 'run' | 'prefix'>,
  windowMs: number,
  clock?: () => number,
): Limiter {
  async function run(operation: 'take' | 'peek', buckets: readonly LimitBucket[]): Promise<RateLimitState> {
    const time = clock ? String(Math.round(clock() * 1_000)) : '';
    const limits = buckets.map(({ limit }) => limit);
    const answer = await redis.run(
      SCRIPT,
      buckets.map(({ key }) => `${redis.prefix}limiter:${key}`),
      [String(Math.round(windowMs * 1_000)), operation, time, ...limits.map(String)],
    );
    // The script returns integers only.
    const [isAllowed, ...counts] = answer as number[];
    const verdicts = limits.map((limit, i) => {
      const [counted = 0, staysUs = 0] = counts.slice(2 * i);
      const ok = isAllowed === 1 || counted < limit;
      return { ok, limit, remaining: Math.max(0, limit - counted), resetMs: Math.ceil(staysUs / 1_000) };
    });
    return verdicts.reduce(tighter);
  }

  return {
    take: (buckets) => run('take', buckets),
    peek: (buckets) => run('peek', buckets),
  };
}

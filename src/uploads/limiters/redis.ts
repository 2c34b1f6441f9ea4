import { connectRedis } from '../../redis/connection.ts';
import type { Limiter } from '../limiter.ts';
import type { LimiterOptions } from './drivers.ts';
import { withFallback } from './fallback.ts';
import { openMemoryLimiter } from './memory.ts';
import { openRedisWindow } from './redis-window.ts';

/** How long an upload waits for Redis. */
const ANSWER_TIMEOUT_MS = 200;
/** How long the start waits for the first connection. */
const CONNECT_TIMEOUT_MS = 1_000;

/**
 * `redis://[user:password@]host[:port][/database][?prefix=tayang]`, or `rediss://` for TLS. All processes share one
 * exact window. While Redis does not answer, each process limits by a window in its own memory.
 */
export async function openRedisLimiter(
  url: string,
  { windowMs, now, report }: LimiterOptions,
): Promise<Limiter> {
  const redis = connectRedis(url, { replyTimeoutMs: ANSWER_TIMEOUT_MS });
  // A connection that is not ready yet fails the first request, which then uses the fallback.
  await redis.whenReady(CONNECT_TIMEOUT_MS).catch(() => {});
  const primary = openRedisWindow({ redis, windowMs });
  return withFallback({ primary, fallback: openMemoryLimiter({ windowMs, now }), report, now });
}

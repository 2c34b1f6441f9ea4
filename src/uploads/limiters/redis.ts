import type { Report } from '../../domain/operational-event.ts';
import { connectRedis } from '../../redis/connection.ts';
import type { Limiter } from '../limiter.ts';
import { withSubstitute } from './fallback.ts';
import { openMemoryLimiter } from './memory.ts';
import { openRedisWindow } from './redis-window.ts';

/** An upload waits for Redis no longer than that. */
const ANSWER_LIMIT_MS = 200;
/** How long the first connection may take before the service starts without. */
const OPEN_LIMIT_MS = 1_000;

export interface RedisLimiterOptions {
  windowMs: number;
  /** Monotonic, ms: for the substitute, since Redis has a clock of its own. */
  now: () => number;
  report: Report;
}

/**
 * `redis://[user:password@]host[:port][/database][?prefix=tayang]`, or `rediss://` over TLS: one exact window for all
 * processes while Redis answers. While it does not, from the start or later, each process has one in its memory.
 */
export async function openRedisLimiter(
  url: string,
  { windowMs, now, report }: RedisLimiterOptions,
): Promise<Limiter> {
  const redis = connectRedis(url, { replyTimeoutMs: ANSWER_LIMIT_MS });
  // Whether it came to that shows at the first request.
  await redis.whenReady(OPEN_LIMIT_MS).catch(() => {});
  const main = openRedisWindow({ redis, windowMs });
  return withSubstitute({ main, substitute: openMemoryLimiter({ windowMs, now }), report, now });
}

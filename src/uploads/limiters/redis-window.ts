import { createScript } from '../../redis/script.ts';
import { type Bucket, type Limiter, tighter, UNLIMITED, type Verdict } from '../limiter.ts';
import type { RunScript } from './redis-ledger.ts';

/**
 * A bucket is a list of the times of its requests, in microseconds, oldest first; it expires with its window. One round
 * trip drops requests that have left the window, checks that no bucket is full, and counts. ARGV: the window, `take` or
 * `peek`, the time or an empty string for the time of Redis, and the limits. When the clock has been set back by less
 * than a window, the newest request counts as now; when by more, the bucket is dropped. Returns whether the request is
 * allowed, and for each bucket the number of its requests and the time until the oldest leaves the window.
 */
const WINDOW_SCRIPT = createScript(`
  local window, takes, now = tonumber(ARGV[1]), ARGV[2] == 'take', tonumber(ARGV[3])
  if not now then
    local time = redis.call('TIME')
    now = time[1] * 1000000 + time[2]
  end
  for _, key in ipairs(KEYS) do
    local newest = tonumber(redis.call('LINDEX', key, -1))
    if newest and newest - now > window then redis.call('DEL', key)
    elseif newest and newest > now then now = newest end
  end

  local oldest, counted, counts = {}, {}, takes
  for i, key in ipairs(KEYS) do
    oldest[i] = tonumber(redis.call('LINDEX', key, 0))
    while oldest[i] and now - oldest[i] >= window do
      redis.call('LPOP', key)
      oldest[i] = tonumber(redis.call('LINDEX', key, 0))
    end
    counted[i] = redis.call('LLEN', key)
    counts = counts and counted[i] < tonumber(ARGV[3 + i])
  end

  local answer = { counts and 1 or 0 }
  for i, key in ipairs(KEYS) do
    if counts then
      counted[i] = redis.call('RPUSH', key, string.format('%.0f', now))
      redis.call('PEXPIRE', key, math.ceil(window / 1000) + 1)
    end
    answer[2 * i] = counted[i]
    answer[2 * i + 1] = counted[i] > 0 and window - (now - (oldest[i] or now)) or 0
  end
  return answer`);

interface RedisWindowOptions {
  redis: RunScript;
  windowMs: number;
  /** Replaces the clock of Redis in tests; ms, precise to the microsecond. */
  clock?: (() => number) | undefined;
}

/**
 * An exact sliding window that all processes on one Redis share, by the clock of Redis. Idle buckets expire. Rejects
 * when Redis does not answer in time.
 */
export function openRedisWindow({ redis, windowMs, clock }: RedisWindowOptions): Limiter {
  async function run(operation: 'take' | 'peek', buckets: readonly Bucket[]): Promise<Verdict> {
    const time = clock ? String(Math.round(clock() * 1_000)) : '';
    const limits = buckets.map(({ limit }) => String(limit));
    const answer = await redis.run(
      WINDOW_SCRIPT,
      buckets.map(({ key }) => `${redis.prefix}limiter:${key}`),
      [String(Math.round(windowMs * 1_000)), operation, time, ...limits],
    );
    // The script returns integers only.
    return parseAnswer(buckets, answer as number[]);
  }

  return {
    take: (buckets) => run('take', buckets),
    peek: (buckets) => run('peek', buckets),
  };
}

function parseAnswer(buckets: readonly Bucket[], [isAllowed, ...counts]: number[]): Verdict {
  return buckets
    .map(({ limit }, i) => {
      const [counted = 0, staysUs = 0] = counts.slice(2 * i);
      const ok = isAllowed === 1 || counted < limit;
      return { ok, limit, remaining: Math.max(0, limit - counted), resetMs: Math.ceil(staysUs / 1_000) };
    })
    .reduce(tighter, UNLIMITED);
}

import type { RedisConnection } from '../../redis/connection.ts';
import { createScript } from '../../redis/script.ts';
import { type BucketKey, type Limiter, tighter, UNLIMITED, type Verdict } from '../limiter.ts';

/**
 * A bucket is a list of the microseconds at which its requests came, oldest first, which ends with its window. All of
 * it is one step, for one round trip: to drop who has left, to see whether every bucket has one left, and to count.
 * ARGV: the window, `take` or `look`, the time or nothing for Redis's own, and the limits. The time may be set back:
 * a little, and it stands still for those who know better; by more than a window, and nothing that was counted means
 * anything. Answers whether it counted, and for each bucket its requests and how long the oldest of them stays.
 */
const ASK = createScript(`
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

export interface RedisWindowOptions {
  redis: RedisConnection;
  windowMs: number;
  /** In place of Redis's own clock, for tests: ms, of which three digits after the point count. */
  clock?: (() => number) | undefined;
}

/**
 * An exact sliding window that all processes on one Redis share, by Redis's clock. Redis forgets what is idle. Rejects
 * when Redis does not answer, or not in time.
 */
export function openRedisWindow({ redis, windowMs, clock }: RedisWindowOptions): Limiter {
  async function ask(what: 'take' | 'look', keys: readonly BucketKey[]): Promise<Verdict> {
    const time = clock ? String(Math.round(clock() * 1_000)) : '';
    const limits = keys.map(({ limit }) => String(limit));
    const answer = await redis.run(
      ASK,
      keys.map(({ key }) => `${redis.prefix}limiter:${key}`),
      [String(Math.round(windowMs * 1_000)), what, time, ...limits],
    );
    return judge(keys, answer as number[]);
  }

  return {
    take: (keys) => ask('take', keys),
    look: (keys) => ask('look', keys),
    async close() {
      redis.close();
    },
  };
}

function judge(keys: readonly BucketKey[], [wasCounted, ...buckets]: number[]): Verdict {
  return keys
    .map(({ limit }, i) => {
      const [counted, stays] = buckets.slice(2 * i) as [number, number];
      const ok = wasCounted === 1 || counted < limit;
      return { ok, limit, remaining: Math.max(0, limit - counted), resetMs: Math.ceil(stays / 1_000) };
    })
    .reduce(tighter, UNLIMITED);
}

import { connectRedis, type RedisConnection } from '../../redis/connection.ts';
import { createScript } from '../../redis/script.ts';
import type { RowKind, Rows, Store, StoreOptions } from '../store.ts';
import { pollVersion } from './poll-version.ts';
import { openRedisContents, rowKeys } from './redis-contents.ts';
import { createRedisLeases, NAMES } from './redis-lease.ts';
import { openValues } from './values.ts';

const CONNECT_TIMEOUT_MS = 3_000;
/** Enough for a snapshot of some megabytes. */
const REPLY_TIMEOUT_MS = 5_000;
const LEASE_MS = 12_000;
/** How often it is read whether the store has changed: a notification of Redis could be lost. */
const POLL_INTERVAL_MS = 1_000;

/** Rows of an earlier version have no day: they get one before any is forgotten. */
const PUT_ROW = createScript(`
  local rows, keys, days, key = KEYS[1], KEYS[2], KEYS[3], ARGV[1]
  local max, day, unused = tonumber(ARGV[3]), ARGV[4], '(' .. ARGV[5]
  local isNew = redis.call('HEXISTS', rows, key) == 0
  if isNew and redis.call('HLEN', rows) >= max then
    for _, one in ipairs(redis.call('HKEYS', rows)) do redis.call('ZADD', days, 'NX', day, one) end
    for _, one in ipairs(redis.call('ZRANGEBYSCORE', days, '-inf', unused)) do
      redis.call('HDEL', rows, one)
      redis.call('ZREM', keys, one)
    end
    redis.call('ZREMRANGEBYSCORE', days, '-inf', unused)
    if redis.call('HLEN', rows) >= max then return 0 end
  end
  redis.call('HSET', rows, key, ARGV[2])
  redis.call('ZADD', keys, 0, key)
  redis.call('ZADD', days, day, key)
  return 1`);

const REMOVE_ROW = createScript(`
  redis.call('ZREM', KEYS[2], ARGV[1])
  redis.call('ZREM', KEYS[3], ARGV[1])
  return redis.call('HDEL', KEYS[1], ARGV[1])`);

const ROWS_AFTER = createScript(`
  local keys = redis.call('ZRANGEBYLEX', KEYS[2], ARGV[1], '+', 'LIMIT', 0, ARGV[2])
  if #keys == 0 then return {} end
  return { keys, redis.call('HMGET', KEYS[1], unpack(keys)) }`);

interface RedisStoreOptions extends Pick<StoreOptions, 'mayBeDown'> {
  /** How long a lease outlives a process that was killed. */
  leaseMs?: number;
  /** How long the first connection may take, because the server may be starting as well. */
  connectTimeoutMs?: number;
}

/**
 * `redis://[user:password@]host[:port][/database][?prefix=tayang]`, or `rediss://` over TLS: for processes on any
 * number of machines. Throws when it cannot connect within 3 seconds, unless it may be down; it reconnects when the connection
 * is lost later.
 */
export async function openRedisStore(
  url: string,
  { leaseMs = LEASE_MS, connectTimeoutMs = CONNECT_TIMEOUT_MS, mayBeDown = false }: RedisStoreOptions = {},
): Promise<Store> {
  const redis = connectRedis(url, { replyTimeoutMs: REPLY_TIMEOUT_MS });
  await redis.whenReady(connectTimeoutMs).catch((error: unknown) => {
    if (mayBeDown) return;
    redis.close();
    throw error;
  });
  const readVersion = async () => redis.client().get(redis.prefix + NAMES.change);
  const { stop, ...watching } = pollVersion(readVersion, POLL_INTERVAL_MS);
  // A read then reports that it is down.
  redis.onChange(watching.notify);
  return {
    values: openValues(
      redis.prefix + NAMES.values,
      async (key) => (await redis.client().get(key)) ?? undefined,
    ),
    subscriptions: openRows(redis, 'subscriptions'),
    channels: openRows(redis, 'channels'),
    contents: openRedisContents(redis),
    lease: createRedisLeases(redis, leaseMs),
    ...watching,
    async probe(bytes) {
      const expiration = { type: 'PX', value: 1 } as const;
      await redis.client().set(`${redis.prefix}probe`, 'x'.repeat(bytes), { expiration });
    },
    shared: true,
    async close() {
      stop();
      redis.close();
    },
  };
}

/** A hash, its keys in a sorted set, which has them in their order, and in another one by the day on which they were put. */
function openRows(redis: RedisConnection, kind: RowKind): Rows {
  const keys = rowKeys(kind).map((one) => redis.prefix + one);
  return {
    async put(key, text, { max, day, unusedSince }) {
      const args = [key, text, ...[max, day, unusedSince].map(String)];
      return (await redis.run(PUT_ROW, keys, args)) === 1;
    },
    async remove(key) {
      await redis.run(REMOVE_ROW, keys, [key]);
    },
    async get(key) {
      return (await redis.client().hGet(keys[0]!, key)) ?? undefined;
    },
    async after(key, limit) {
      const found = await redis.run(ROWS_AFTER, keys, [key ? `(${key}` : '-', String(limit)]);
      // The reply of the script: no lists, or one of keys and one of texts, which are as long.
      const [names = [], texts = []] = found as string[][];
      return names.map((name, index) => [name, texts[index]!]);
    },
  };
}

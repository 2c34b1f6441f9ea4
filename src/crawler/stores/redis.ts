import { randomUUID } from 'node:crypto';
import KeyvRedis from '@keyv/redis';
import { Keyv } from 'keyv';
import { connectRedis, type RedisConnection } from '../../redis/connection.ts';
import { createScript } from '../../redis/script.ts';
import { LEASE_NAMES, type LeaseName, type Rows, type Store } from '../snapshot-store.ts';
import { createRedisLease, type RedisLease } from './redis-lease.ts';

const CONNECT_TIMEOUT_MS = 3_000;
/** Enough for a snapshot of some megabytes. */
const REPLY_TIMEOUT_MS = 5_000;
const LEASE_MS = 12_000;
/** How often the version of the store is read, which every write changes: a notification of Redis could be lost. */
const POLL_INTERVAL_MS = 1_000;

/** Writes a value and a new version, unless this process has lost the lease. */
const WRITE = createScript(`
  local value, lease, version = KEYS[1], KEYS[2], KEYS[3]
  if ARGV[2] ~= '' and redis.call('GET', lease) ~= ARGV[2] then return 0 end
  redis.call('SET', value, ARGV[1])
  redis.call('SET', version, ARGV[3])
  return 1`);

const PUT_ROW = createScript(`
  local rows, keys, key = KEYS[1], KEYS[2], ARGV[1]
  if redis.call('HEXISTS', rows, key) == 0 and redis.call('HLEN', rows) >= tonumber(ARGV[3]) then return 0 end
  redis.call('HSET', rows, key, ARGV[2])
  redis.call('ZADD', keys, 0, key)
  return 1`);

const REMOVE_ROW = createScript(`
  redis.call('ZREM', KEYS[2], ARGV[1])
  return redis.call('HDEL', KEYS[1], ARGV[1])`);

const ROWS_AFTER = createScript(`
  local keys = redis.call('ZRANGEBYLEX', KEYS[2], ARGV[1], '+', 'LIMIT', 0, ARGV[2])
  if #keys == 0 then return {} end
  return { keys, redis.call('HMGET', KEYS[1], unpack(keys)) }`);

interface RedisStoreOptions {
  /** How long a lease outlives a process that was killed. */
  leaseMs?: number;
  /** How long the first connection may take, because the server may be starting as well. */
  connectTimeoutMs?: number;
}

/**
 * `redis://[user:password@]host[:port][/database][?prefix=tayang]`, or `rediss://` over TLS: for processes on any
 * number of machines. Throws when it cannot connect within 3 seconds; it reconnects when the connection is lost later.
 */
export async function openRedisStore(
  url: string,
  { leaseMs = LEASE_MS, connectTimeoutMs = CONNECT_TIMEOUT_MS }: RedisStoreOptions = {},
): Promise<Store> {
  const redis = connectRedis(url, { replyTimeoutMs: REPLY_TIMEOUT_MS });
  try {
    await redis.whenReady(connectTimeoutMs);
    return openStore(redis, leaseMs);
  } catch (error) {
    redis.close();
    throw error;
  }
}

function openStore(redis: RedisConnection, leaseMs: number): Store {
  const version = `${redis.prefix}version`;
  const leases = openLeases(redis, leaseMs);
  const namespace = `${redis.prefix}listing`;
  const adapter = new SharedKeyvRedis(redis, namespace, write);
  const polling = pollVersion(redis, version);

  async function write(key: string, value: string): Promise<void> {
    const name = LEASE_NAMES.find((one) => key.startsWith(`${namespace}:${one}:`)) ?? 'refresh';
    const lease = leases[name];
    const written = await redis.run(WRITE, [key, lease.key, version], [value, lease.token(), randomUUID()]);
    if (!written)
      throw new Error('the lease was lost before it was released: another process may have written');
  }

  return {
    keyv: new Keyv(adapter, { namespace, useKeyPrefix: false, throwOnErrors: true, emitErrors: false }),
    subscriptions: openRows(redis),
    lease: (name = 'refresh') => leases[name].take(),
    holds: (name) => leases[name].isHeld(),
    watch: polling.watch,
    shared: true,
    async close() {
      polling.stop();
      await Promise.all(Object.values(leases).map((lease) => lease.close()));
      redis.close();
    },
  };
}

function openLeases(redis: RedisConnection, leaseMs: number): Record<LeaseName, RedisLease> {
  const open = (name: LeaseName) =>
    createRedisLease(redis, `${redis.prefix}${name === 'refresh' ? 'lease' : `lease-${name}`}`, leaseMs);
  // Every name has a lease, which the type of the entries does not say.
  return Object.fromEntries(LEASE_NAMES.map((name) => [name, open(name)])) as Record<LeaseName, RedisLease>;
}

/** A hash, and its keys in a sorted set, which has them in their order. */
function openRows(redis: RedisConnection): Rows {
  const hash = `${redis.prefix}subscriptions`;
  const keys = [hash, `${redis.prefix}subscription-keys`];
  return {
    get: async (key) => (await redis.client().hGet(hash, key)) ?? undefined,
    put: async (key, text, max) => (await redis.run(PUT_ROW, keys, [key, text, String(max)])) === 1,
    async remove(key) {
      await redis.run(REMOVE_ROW, keys, [key]);
    },
    async after(key, limit) {
      const found = await redis.run(ROWS_AFTER, keys, [key ? `(${key}` : '-', String(limit)]);
      // The reply of the script: no lists, or one of keys and one of texts, which are as long.
      const [names = [], texts = []] = found as string[][];
      return names.map((name, index) => [name, texts[index]!]);
    },
  };
}

/** Calls the watchers after every write, and at every change of the connection: a read then reports that it is down. */
function pollVersion(redis: RedisConnection, version: string) {
  const watchers = new Set<() => void>();
  let seen: string | null = null;
  const notify = () => {
    for (const watcher of watchers) watcher();
  };
  const poll = async () => {
    const latest = await redis.client().get(version);
    if (latest !== seen) notify();
    seen = latest;
  };
  redis.onChange(notify);
  const polling = setInterval(() => poll().catch(notify), POLL_INTERVAL_MS);
  polling.unref();

  return {
    watch(onChange: () => void) {
      watchers.add(onChange);
      return () => watchers.delete(onChange);
    },
    stop() {
      watchers.clear();
      clearInterval(polling);
    },
  };
}

/**
 * Keyv's own adapter for Redis over a given connection, which it neither opens nor restores: operations fail while the
 * connection is down.
 */
class SharedKeyvRedis extends KeyvRedis<string> {
  readonly #redis: RedisConnection;
  readonly #write: (key: string, value: string) => Promise<void>;

  /** `namespace`: the prefix of every key. `write`: writes a value under a key with it, and a new version. */
  constructor(
    redis: RedisConnection,
    namespace: string,
    write: (key: string, value: string) => Promise<void>,
  ) {
    super(redis.client(), { namespace, keyPrefixSeparator: ':', throwOnErrors: true });
    this.#redis = redis;
    this.#write = write;
  }

  override async getClient() {
    return this.#redis.client();
  }

  override async set(key: string, value: string): Promise<void> {
    await this.#write(this.createKeyPrefix(key, this.namespace), value);
  }
}

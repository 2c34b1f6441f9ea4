import { randomUUID } from 'node:crypto';
import type { RedisConnection } from '../../redis/connection.ts';
import { createScript } from '../../redis/script.ts';
import { type Lease, LeaseLostError, leaseKey, type Store } from '../store.ts';
import { writeValues } from './values.ts';

/** In place of a token: the last holder has released the lease. */
const RELEASED = 'released';

/** Takes a released lease, and a missing one only if allowed. Returns 1, or -1 if it is missing. */
const TAKE = createScript(`
  local holder = redis.call('GET', KEYS[1])
  if not holder and ARGV[3] == '0' then return -1 end
  if holder and holder ~= '${RELEASED}' then return 0 end
  redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
  return 1`);

const RENEW = createScript(`
  local holder = redis.call('GET', KEYS[1])
  if holder ~= ARGV[1] and (holder or ARGV[3] == '0') then return 0 end
  redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
  return 1`);

const RELEASE = createScript(`
  if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
  if ARGV[2] == '1' then return redis.call('SET', KEYS[1], '${RELEASED}') end
  return redis.call('DEL', KEYS[1])`);

/** Writes values, and that something has changed, unless another job may have the lease. An empty one is removed. */
const WRITE = createScript(`
  local holder = redis.call('GET', KEYS[1])
  if holder ~= ARGV[1] and (holder or ARGV[2] == '0') then return 0 end
  redis.call('SET', KEYS[2], ARGV[3])
  for index = 3, #KEYS do
    local value = ARGV[index + 1]
    if value == '' then redis.call('DEL', KEYS[index]) else redis.call('SET', KEYS[index], value) end
  end
  return 1`);

/** The namespace of the values, and the key that says that one has changed. */
export const NAMES = { values: 'listing', change: 'change' };

/**
 * Returns a function that takes a lease: a key with a TTL. Its holder renews it six times in that time, so after a kill of
 * the process it lasts for one TTL at most.
 *
 * A message that is being sent cannot be taken back. So the holder of `outbox` keeps it when Redis has forgotten it, and others
 * take it where it is missing only after its holder had the time to renew it.
 */
export function createRedisLeases(redis: RedisConnection, ttlMs: number): Store['lease'] {
  let missingSince: number | undefined;

  return async (name) => {
    const key = redis.prefix + leaseKey(name);
    const token = randomUUID();
    const outlivesLoss = name === 'outbox';
    const isOver = missingSince !== undefined && performance.now() - missingSince >= ttlMs / 2;
    const mayBeMissing = !outlivesLoss || isOver;
    const taken = await redis.run(TAKE, [key], [token, String(ttlMs), mayBeMissing ? '1' : '0']);
    if (outlivesLoss) missingSince = taken === -1 ? (missingSince ?? performance.now()) : undefined;
    return taken === 1 ? hold(key, token, outlivesLoss ? '1' : '0') : undefined;
  };

  function hold(key: string, token: string, keepsLost: '0' | '1'): Lease {
    const renew = () => redis.run(RENEW, [key], [token, String(ttlMs), keepsLost]);
    const stop = () => clearInterval(renewal);
    /** A failed renewal is repeated. A lost lease needs no handling: its writes are refused. */
    const renewal = setInterval(() => {
      renew().then(
        (isMine) => isMine === 1 || stop(),
        () => {},
      );
    }, ttlMs / 6);
    renewal.unref();
    return {
      write: (values) =>
        writeValues(redis.prefix + NAMES.values, values, async (entries) => {
          const keys = [key, redis.prefix + NAMES.change, ...entries.map((entry) => entry.key)];
          const args = [token, keepsLost, randomUUID(), ...entries.map(({ value = '' }) => value)];
          if ((await redis.run(WRITE, keys, args)) !== 1) throw new LeaseLostError();
        }),
      isHeld: async () => (await renew()) === 1,
      /** When Redis cannot be reached, the lease expires. */
      async release() {
        stop();
        await redis.run(RELEASE, [key], [token, keepsLost]).catch(() => {});
      },
    };
  }
}

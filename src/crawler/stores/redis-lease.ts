import { randomUUID } from 'node:crypto';
import type { RedisConnection } from '../../redis/connection.ts';
import { createScript } from '../../redis/script.ts';
import { type Lease, LeaseLostError } from '../store.ts';
import { writeValues } from './values.ts';

/** In place of a token: the last holder has released the lease. */
const RELEASED = 'released';

/** Takes a lease that was released; one that is missing only where that is allowed. Returns 1, or -1 for a missing one. */
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

/** Writes values, and that something has changed, unless another job may have the lease. */
const WRITE = createScript(`
  local holder = redis.call('GET', KEYS[1])
  if holder ~= ARGV[1] and (holder or ARGV[2] == '0') then return 0 end
  redis.call('SET', KEYS[2], ARGV[3])
  for index = 3, #KEYS do redis.call('SET', KEYS[index], ARGV[index + 1]) end
  return 1`);

interface LeaseOptions {
  key: string;
  /** The namespace of the values, and the key that says that one has changed. */
  namespace: string;
  change: string;
  ttlMs: number;
  /**
   * Whether its holder keeps it when Redis has forgotten it, for what cannot be taken back, such as a message that is being
   * sent. Others then take a lease that is missing only after its holder had the time to renew it.
   */
  outlivesLoss: boolean;
}

/**
 * Returns a function that takes a lease: a key with a TTL. Its holder renews it six times in that time, so after a kill of
 * the process it lasts for one TTL at most.
 */
export function createRedisLease(
  redis: RedisConnection,
  { key, namespace, change, ttlMs, outlivesLoss }: LeaseOptions,
) {
  const keepsLost = outlivesLoss ? '1' : '0';
  let missingSince: number | undefined;

  return async (): Promise<Lease | undefined> => {
    const token = randomUUID();
    const isOver = missingSince !== undefined && performance.now() - missingSince >= ttlMs / 2;
    const mayBeMissing = !outlivesLoss || isOver;
    const taken = await redis.run(TAKE, [key], [token, String(ttlMs), mayBeMissing ? '1' : '0']);
    if (taken === -1) missingSince ??= performance.now();
    else missingSince = undefined;
    return taken === 1 ? hold(token) : undefined;
  };

  function hold(token: string): Lease {
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
        writeValues(namespace, values, async (entries) => {
          const keys = [key, change, ...entries.map((entry) => entry.key)];
          const args = [token, keepsLost, randomUUID(), ...entries.map(({ value }) => value)];
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

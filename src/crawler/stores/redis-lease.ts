import { randomUUID } from 'node:crypto';
import type { RedisConnection } from '../../redis/connection.ts';
import { createScript } from '../../redis/script.ts';
import type { Release } from '../snapshot-store.ts';

const RENEW = createScript(`
  if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
  return redis.call('PEXPIRE', KEYS[1], ARGV[2])`);

const RELEASE = createScript(`
  if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
  return redis.call('DEL', KEYS[1])`);

export interface RedisLease {
  key: string;
  take(): Promise<Release | undefined>;
  /** The token of the lease while this process has it, or believes so; empty at other times. */
  token(): string;
  /** Asks Redis whether this process still has the lease. */
  isHeld(): Promise<boolean>;
  close(): Promise<void>;
}

/**
 * A lease is a key with a TTL. Its holder renews it three times in that time, so after a kill of the process it lasts for
 * one TTL at most.
 */
export function createRedisLease(redis: RedisConnection, key: string, ttlMs: number): RedisLease {
  let held = '';
  let renewal: NodeJS.Timeout | undefined;

  async function take(): Promise<Release | undefined> {
    const token = randomUUID();
    const expiration = { type: 'PX', value: ttlMs } as const;
    const taken = await redis.client().set(key, token, { condition: 'NX', expiration });
    if (!taken) return undefined;
    held = token;
    renewal = setInterval(() => renew(token), ttlMs / 3);
    return () => release(token);
  }

  /** A failed renewal is repeated after a third of the TTL. A lost lease needs no handling: its writes are refused. */
  function renew(token: string): void {
    redis.run(RENEW, [key], [token, String(ttlMs)]).catch(() => {});
  }

  /** Never rejects: when Redis cannot be reached, the lease expires. */
  async function release(token: string): Promise<void> {
    if (token !== held) return;
    held = '';
    clearInterval(renewal);
    await redis.run(RELEASE, [key], [token]).catch(() => {});
  }

  return {
    key,
    take,
    token: () => held,
    isHeld: async () => held !== '' && (await redis.client().get(key)) === held,
    close: () => release(held),
  };
}

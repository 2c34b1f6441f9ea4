import { randomUUID } from 'node:crypto';
import type { RedisConnection } from '../../redis/connection.ts';
import { createScript } from '../../redis/script.ts';
import type { Release } from '../snapshot-store.ts';

const RENEW = createScript(`
  if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
  return redis.call('PEXPIRE', KEYS[1], ARGV[2])`);

const GIVE_BACK = createScript(`
  if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
  return redis.call('DEL', KEYS[1])`);

export interface RedisLease {
  key: string;
  take(): Promise<Release | undefined>;
  /** The token of the lease while this process has it, or believes so; empty at other times. */
  proof(): string;
  close(): Promise<void>;
}

/**
 * A lease is a key that expires after a term. Its holder renews it three times a term, so it outlives a process that was
 * killed by one term at most.
 */
export function createRedisLease(redis: RedisConnection, key: string, termMs: number): RedisLease {
  let proof = '';
  let renewal: NodeJS.Timeout | undefined;

  async function take(): Promise<Release | undefined> {
    const token = randomUUID();
    const term = { type: 'PX', value: termMs } as const;
    const taken = await redis.client().set(key, token, { condition: 'NX', expiration: term });
    if (!taken) return undefined;
    proof = token;
    renewal = setInterval(() => renew(token), termMs / 3);
    return () => release(token);
  }

  /** A failed renewal is repeated in a third of the term. A lost lease needs no handling here: its writes are refused. */
  function renew(token: string): void {
    redis.run(RENEW, [key], [token, String(termMs)]).catch(() => {});
  }

  /** Never rejects: when Redis cannot be reached, the lease expires at the end of its term. */
  async function release(token: string): Promise<void> {
    if (token !== proof) return;
    proof = '';
    clearInterval(renewal);
    await redis.run(GIVE_BACK, [key], [token]).catch(() => {});
  }

  return { key, take, proof: () => proof, close: () => release(proof) };
}

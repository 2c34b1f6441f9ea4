import type { RedisConnection } from '../../redis/connection.ts';
import { scriptFile } from '../../redis/script.ts';

/** What a process holds is given back when it has sent no heartbeat for this long, by the clock of Redis. */
export const LEASE_MS = 20_000;

const SCRIPT = scriptFile(new URL('ledger.lua', import.meta.url));

/** `lost`: Redis does not know the process. */
type Answer = ['ok' | 'full', ...number[]] | ['lost'];

/** Runs scripts with a connection that may fail at any time. */
export type RunScript = Pick<RedisConnection, 'run' | 'prefix'>;

/** The steps of the ledger in Redis. */
export function createRedisLedger(redis: RunScript, leaseMs = LEASE_MS) {
  const prefix = `${redis.prefix}limits:`;
  const keys = ['sums', 'entries', 'expiries', 'removed', 'processes', 'counted'].map((key) => prefix + key);

  return {
    /** The key of the entries, whose values begin with the size. */
    entries: `${prefix}entries`,
    /** The key of the ids of entries, by their expiry. */
    expiries: `${prefix}expiries`,
    /**
     * Takes a step for a process by its name. Resolves with the numbers that the script returns, and whether there was enough.
     * Rejects when Redis does not answer, or does not know the process: it was emptied, or the lease has ended.
     */
    async run(process: string, step: string, args: readonly (string | number)[] = []) {
      const all = [step, `${prefix}process:`, process, leaseMs, ...args].map(String);
      // The script returns nothing else.
      const [outcome, ...numbers] = (await redis.run(SCRIPT, keys, all)) as Answer;
      if (outcome === 'lost') throw new Error('Redis was emptied, or this process was silent for long');
      return { ok: outcome === 'ok', numbers };
    },
  };
}

import { parseUploadId, parseUploadIds, type UploadId } from '../../domain/upload-id.ts';
import type { RedisConnection } from '../../redis/connection.ts';
import { scriptFile } from '../../redis/script.ts';

/** What a process holds is given back when it has sent no heartbeat for this long, by the clock of Redis. */
export const LEASE_MS = 20_000;

const SCRIPT = scriptFile(new URL('ledger.lua', import.meta.url));

/** `lost`: Redis does not know the process. */
type Answer = ['ok' | 'full', ...number[]] | ['lost'];

export type StepArguments = readonly (string | number)[];

export interface StepOutcome {
  /** Whether there was enough. */
  ok: boolean;
  /** What the script returns beside that. */
  numbers: number[];
}

/** The steps of the ledger in Redis. */
export interface RedisLedger {
  /** Resolves with the size of each entry, at which its value begins. */
  sizes(): Promise<Map<UploadId, number>>;
  /** Resolves with the ids of some entries that have expired, without the first `offset` ones. */
  expired(now: number, offset: number, count: number): Promise<UploadId[]>;
  /**
   * Takes a step for a process by its name. Rejects when Redis does not answer, or does not know the process: it was emptied, or
   * the lease has ended.
   */
  run(process: string, step: string, args?: StepArguments): Promise<StepOutcome>;
}

export function createRedisLedger(redis: RedisConnection, leaseMs = LEASE_MS): RedisLedger {
  const prefix = `${redis.prefix}limits:`;
  const keys = ['sums', 'entries', 'expiries', 'removed', 'processes', 'counted'].map((key) => prefix + key);

  return {
    async sizes() {
      const sizes = new Map<UploadId, number>();
      for await (const entries of redis.client().hScanIterator(`${prefix}entries`, { COUNT: 1_000 })) {
        for (const { field, value } of entries) {
          const id = parseUploadId(field);
          if (id !== undefined) sizes.set(id, Number.parseInt(value, 10));
        }
      }
      return sizes;
    },

    async expired(now, offset, count) {
      const LIMIT = { offset, count };
      return parseUploadIds(await redis.client().zRangeByScore(`${prefix}expiries`, '-inf', now, { LIMIT }));
    },

    async run(process, step, args = []) {
      const all = [step, `${prefix}process:`, process, leaseMs, ...args].map(String);
      // The script returns nothing else.
      const [outcome, ...numbers] = (await redis.run(SCRIPT, keys, all)) as Answer;
      if (outcome === 'lost') throw new Error('Redis was emptied, or this process was silent for long');
      return { ok: outcome === 'ok', numbers };
    },
  };
}

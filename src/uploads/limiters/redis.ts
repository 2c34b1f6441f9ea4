import { setTimeout as sleep } from 'node:timers/promises';
import { coalesce, single } from '../../domain/serial.ts';
import { expiryOf, type UploadId } from '../../domain/upload-id.ts';
import { connectRedis, type RedisConnection } from '../../redis/connection.ts';
import { type CountedItem, fileKeys, type LedgerOptions, type UploadLedger } from '../ledger.ts';
import type { Limits } from './drivers.ts';
import { createHeldSpace, type HeldSpace } from './held-space.ts';
import { type Correction, recount, untilCounted } from './recount.ts';
import { createRedisLedger, type RedisLedger } from './redis-ledger.ts';
import { createRedisSession, type LedgerCounts, type RedisSession } from './redis-session.ts';
import { openRedisWindow } from './redis-window.ts';

const REPLY_TIMEOUT_MS = 2_000;
/** How long the start waits for the connection, and then for what is stored to be counted. */
const START_TIMEOUT_MS = 1_000;
const RETRY_MS = 1_000;
/** How many entries one step drops, so that Redis is not busy for long. */
const EXPIRE_BATCH = 500;

/**
 * `redis://[user:password@]host[:port][/database][?prefix=tayang]`, or `rediss://` for TLS. All processes on a Redis share
 * all limits. They fail while it does not answer, and while it was emptied and not all that is stored is counted yet.
 * After each failure this process registers under a new name with what it still holds, and counts what is stored again.
 */
export async function openRedisLimits(url: string, options: LedgerOptions): Promise<Limits> {
  const { elapsedMs } = options;
  const redis = connectRedis(url, { replyTimeoutMs: REPLY_TIMEOUT_MS });
  const closing = new AbortController();
  const held = createHeldSpace();
  const ledger = createRedisLedger(redis);
  /** Whether all that is stored is counted in Redis, as far as this process knows. */
  let isUsable = false;
  let used = { bytes: 0, files: 0 };
  let counting: Promise<void> | undefined;
  const session = createRedisSession({
    ledger,
    held,
    elapsedMs,
    onLost: () => {
      isUsable = false;
    },
  });

  function requireUsable(): void {
    if (!isUsable) throw session.failure();
  }

  const countAgain = coalesce(() => untilCounted(countStored, options, closing.signal));

  async function countStored(): Promise<void> {
    await countUnder(session.name, { session, ledger, options, signal: closing.signal });
    isUsable = true;
    noteCounts(await session.sendHeartbeat());
  }

  function noteCounts({ dead, ...counts }: LedgerCounts): void {
    used = counts;
    // A dead process may have stored or removed what it has not counted.
    if (dead > 0) void countAgain();
  }

  async function keepAlive(): Promise<void> {
    const counts = await session.keepAlive();
    if (counts) noteCounts(counts);
  }

  const keepRegistered = single(async () => {
    if (session.isRegistered) {
      await keepAlive().catch(() => {});
      return;
    }
    isUsable = await session.register();
    if (session.isRegistered) counting = countAgain();
  });

  await redis.whenReady(START_TIMEOUT_MS).catch(() => {});
  await keepRegistered();
  if (!isUsable) await Promise.race([counting, sleep(START_TIMEOUT_MS)]);
  const timer = setInterval(() => void keepRegistered(), RETRY_MS);
  redis.onChange(() => void keepRegistered());

  return {
    openWindow(windowMs) {
      const run: RedisConnection['run'] = async (...script) => {
        requireUsable();
        return session.attempt(() => redis.run(...script));
      };
      return openRedisWindow({ prefix: redis.prefix, run }, windowMs);
    },
    ledger: shareLedger({ session, ledger, held, requireUsable, used: () => used }),
    checks: createChecks(redis, requireUsable),
    async close() {
      closing.abort();
      session.close();
      clearInterval(timer);
      await countAgain();
      await session.step('unregister').catch(() => {});
      redis.close();
    },
  };
}

interface CountOptions {
  session: RedisSession;
  ledger: RedisLedger;
  options: LedgerOptions;
  signal: AbortSignal;
}

/** Makes the entries in Redis those of what is stored, under one name of this process. */
async function countUnder(name: string, { session, ledger, options, signal }: CountOptions): Promise<void> {
  async function correct(corrections: readonly Correction[]): Promise<void> {
    const args = corrections.flatMap(({ id, owner, from = '', size }) => {
      const entry = size === undefined ? '' : describeItem({ owner, size });
      return [id, expiryOf(id), from, entry];
    });
    await session.step('correct', args, name);
  }

  const sizes = await session.attempt(ledger.sizes, name);
  await recount(sizes, correct, options, signal);
  await session.step('counted', [], name);
}

interface SharedLedgerOptions {
  session: RedisSession;
  ledger: RedisLedger;
  held: HeldSpace;
  /** Throws AppError `limiter-down` while the limits cannot be used. */
  requireUsable: () => void;
  used: UploadLedger['used'];
}

/** The ledger of all processes on a Redis. What Redis has missed is found when this process counts again. */
function shareLedger({ session, ledger, held, requireUsable, used }: SharedLedgerOptions): UploadLedger {
  async function expireAll(now: number, isLeft: (id: UploadId) => boolean = () => false): Promise<void> {
    let skipped = 0;
    let found = EXPIRE_BATCH;
    while (found === EXPIRE_BATCH) {
      const due = await session.attempt(() => ledger.expired(now, skipped, EXPIRE_BATCH));
      const gone = due.filter((id) => !isLeft(id));
      if (gone.length > 0) await session.step('leave', gone);
      found = due.length;
      skipped += due.length - gone.length;
    }
  }

  return {
    async take(buckets, wanted, needed) {
      requireUsable();
      const args = [wanted, needed, ...buckets.flatMap(({ key, limit }) => [key, limit])];
      const { ok, numbers } = await session.step('take', args);
      if (!ok) {
        const [left = 0, short = 0] = numbers;
        return { ok, left, short };
      }
      const [amount = 0] = numbers;
      held.add(buckets, amount);
      return { ok, amount, term: held.term };
    },

    stands: session.stands,

    async give(keys, amount, term, items = []) {
      if (session.registering) await session.registering;
      const left = held.remove(keys, amount, term);
      if (left === 0 && items.length === 0) return;
      const counted = items.flatMap((item) => [item.id, expiryOf(item.id), describeItem(item)]);
      await session.step('give', [left, keys.length, ...keys, ...counted]).catch(() => {});
    },

    remove(id) {
      session.step('remove', [id]).catch(() => {});
    },

    expire(now, isLeft) {
      expireAll(now, isLeft).catch(() => {});
    },

    used,
  };
}

/** One check for both: what counts rates counts bytes too. */
function createChecks(redis: RedisConnection, requireUsable: () => void): Required<Limits>['checks'] {
  async function check(): Promise<void> {
    requireUsable();
    await redis.client().ping();
  }
  return { limiter: check, quota: check };
}

/** The size of an item and the buckets that it counts in, as the ledger in Redis keeps them. */
function describeItem({ owner, size }: Pick<CountedItem, 'owner' | 'size'>): string {
  return [size, ...fileKeys(owner)].join(' ');
}

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { coalesce, single } from '../../domain/serial.ts';
import { expiryOf, type UploadId } from '../../domain/upload-id.ts';
import { connectRedis } from '../../redis/connection.ts';
import { createSums, type Entry, fileKeys, type LedgerOptions, limiterDown } from '../ledger.ts';
import type { Limits } from './drivers.ts';
import { type Correction, recount, untilCounted } from './recount.ts';
import { createRedisLedger, LEASE_MS } from './redis-ledger.ts';
import { openRedisWindow } from './redis-window.ts';

const REPLY_TIMEOUT_MS = 2_000;
/** How long the start waits for the connection, and then for what is stored to be counted. */
const START_TIMEOUT_MS = 1_000;
/** A quarter of the time after which Redis gives back what a silent process holds. */
const HEARTBEAT_MS = 5_000;
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
  const ledger = createRedisLedger(redis);
  /** What this process has taken in this term and not given back, by bucket. It does not change while this process registers. */
  let held = createSums();
  /** The limits of the buckets. */
  const limits = new Map<string, number>();
  /** Counts how often what was held has been lost. */
  let term = 0;
  let registering: Promise<void> | undefined;
  /** The name under which this process is or was registered in Redis. */
  let name = '';
  let isRegistered = false;
  let isUsable = false;
  /** When the lease was last extended. */
  let leasedAt = Number.NEGATIVE_INFINITY;
  let used = { bytes: 0, files: 0 };
  /** Why it cannot be used, if Redis has failed. */
  let failure: unknown;
  let counted: Promise<void> | undefined;
  const closing = new AbortController();
  const { signal } = closing;

  function fail(as: string, error: unknown): void {
    if (as !== name || signal.aborted) return;
    [isRegistered, isUsable, failure] = [false, false, error];
  }

  function requireUsable(): void {
    if (!isUsable) throw limiterDown(failure);
  }

  /** Does something under a name of this process. Rejects with AppError `limiter-down`. */
  async function attempt<Result>(work: () => Promise<Result>, as = name): Promise<Result> {
    const requireRegistered = () => {
      if (!isRegistered || as !== name) throw limiterDown(failure);
    };
    requireRegistered();
    const result = await work().catch((error: unknown) => {
      fail(as, error);
      throw limiterDown(error);
    });
    // What this process had taken under an earlier name has been given back.
    requireRegistered();
    return result;
  }

  function step(what: string, args: readonly (string | number)[] = [], as = name) {
    return attempt(() => ledger.run(as, what, args), as);
  }

  /** Takes a step that may fail: what Redis has missed is found when this process counts again. */
  const note = async (...args: Parameters<typeof step>) => void (await step(...args).catch(() => {}));

  async function register(): Promise<void> {
    const next = randomUUID();
    const at = elapsedMs();
    try {
      const holds = [...held.entries()].flatMap(([key, amount]) => [key, amount, limits.get(key) ?? 0]);
      const [isCounted, stands] = (await ledger.run(next, 'register', [name, ...holds])).numbers;
      [name, leasedAt] = [next, at];
      [isRegistered, isUsable] = [true, isCounted === 1];
      if (stands !== 1) [held, term] = [createSums(), term + 1];
    } catch (error) {
      fail(name, error);
    }
  }

  async function sendHeartbeat(): Promise<void> {
    const at = elapsedMs();
    const [bytes = 0, files = 0, dead = 0] = (await step('heartbeat')).numbers;
    leasedAt = at;
    used = { bytes, files };
    // A dead process may have stored or removed what it has not counted.
    if (dead > 0) void countAgain();
  }

  const keepRegistered = single(async () => {
    if (isRegistered) {
      if (elapsedMs() - leasedAt >= HEARTBEAT_MS) await sendHeartbeat().catch(() => {});
      return;
    }
    registering = register();
    await registering;
    registering = undefined;
    if (isRegistered) counted = countAgain();
  });

  const countAgain = coalesce(() => untilCounted(() => countUnder(name), options, signal));

  async function countUnder(as: string): Promise<void> {
    const correct = async (corrections: readonly Correction[]) => {
      const args = corrections.flatMap(({ id, owner, from = '', size }) => {
        const entry = size === undefined ? '' : describeEntry({ owner, size });
        return [id, expiryOf(id), from, entry];
      });
      await step('correct', args, as);
    };
    await recount(await attempt(ledger.sizes, as), correct, options, signal);
    await step('counted', [], as);
    isUsable = true;
    await sendHeartbeat();
  }

  async function expireAll(now: number, isLeft: (id: UploadId) => boolean = () => false): Promise<void> {
    for (let left = 0, found = EXPIRE_BATCH; found === EXPIRE_BATCH; ) {
      const due = await attempt(() => ledger.expired(now, left, EXPIRE_BATCH));
      const gone = due.filter((id) => !isLeft(id));
      if (gone.length > 0) await step('leave', gone);
      found = due.length;
      left += due.length - gone.length;
    }
  }

  async function check(): Promise<void> {
    requireUsable();
    await redis.client().ping();
  }

  await redis.whenReady(START_TIMEOUT_MS).catch(() => {});
  await keepRegistered();
  if (!isUsable) await Promise.race([counted, sleep(START_TIMEOUT_MS)]);
  const timer = setInterval(() => void keepRegistered(), RETRY_MS);
  redis.onChange(() => void keepRegistered());

  return {
    openWindow(windowMs) {
      const run: typeof redis.run = async (...script) => {
        requireUsable();
        return attempt(() => redis.run(...script));
      };
      return openRedisWindow({ prefix: redis.prefix, run }, windowMs);
    },
    ledger: {
      async take(buckets, wanted, needed) {
        requireUsable();
        const args = [wanted, needed, ...buckets.flatMap(({ key, limit }) => [key, limit])];
        const { ok, numbers } = await step('take', args);
        const [amount = 0, short = 0] = numbers;
        if (!ok) return { ok, left: amount, short };
        for (const { key, limit } of buckets) {
          held.add([key], amount);
          if (amount > 0) limits.set(key, limit);
        }
        return { ok, amount, term };
      },
      // By the clock of Redis a lease may end later, and not earlier.
      stands: (of) => of === term && elapsedMs() - leasedAt < LEASE_MS,
      async give(keys, amount, of, entries = []) {
        if (registering) await registering;
        const left = of === term ? amount : 0;
        held.add(keys, -left);
        for (const key of keys) if (held.of(key) === 0) limits.delete(key);
        if (left === 0 && entries.length === 0) return;
        const counted = entries.flatMap((entry) => [entry.id, expiryOf(entry.id), describeEntry(entry)]);
        await note('give', [left, keys.length, ...keys, ...counted]);
      },
      remove: (id) => void note('remove', [id]),
      expire: (now, isLeft) => void expireAll(now, isLeft).catch(() => {}),
      used: () => used,
    },
    checks: { limiter: check, quota: check },
    async close() {
      closing.abort();
      clearInterval(timer);
      await countAgain();
      await note('unregister');
      redis.close();
    },
  };
}

/** The size of an entry and the buckets that it counts in, as the ledger keeps them. */
function describeEntry({ owner, size }: Pick<Entry, 'owner' | 'size'>): string {
  return [size, ...fileKeys(owner)].join(' ');
}

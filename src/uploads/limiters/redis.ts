import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { coalesce, single } from '../../domain/serial.ts';
import { expiryOf, parseUploadId, type UploadId } from '../../domain/upload.ts';
import { connectRedis } from '../../redis/connection.ts';
import { createSums, type Entry, fileKeys, type LedgerOptions, limiterDown } from '../ledger.ts';
import type { Limits } from './drivers.ts';
import { type Correction, recount, untilCounted } from './recount.ts';
import { createRedisLedger } from './redis-ledger.ts';
import { openRedisWindow } from './redis-window.ts';

const REPLY_TIMEOUT_MS = 2_000;
/** How long the start waits for the connection, and then for what is stored to be counted. */
const START_TIMEOUT_MS = 1_000;
/** A quarter of the time after which Redis gives back what a silent process holds. */
const HEARTBEAT_MS = 5_000;
const RETRY_MS = 1_000;

/**
 * `redis://[user:password@]host[:port][/database][?prefix=tayang]`, or `rediss://` for TLS. All processes on a Redis share
 * all limits. They fail while it does not answer, and while it was emptied and not all that is stored is counted yet.
 * After each failure this process registers under a new name with what it still holds, and counts what is stored again.
 */
export async function openRedisLimits(
  url: string,
  options: LedgerOptions,
  retryMs?: number,
): Promise<Limits> {
  const { elapsedMs } = options;
  const redis = connectRedis(url, { replyTimeoutMs: REPLY_TIMEOUT_MS });
  const ledger = createRedisLedger(redis);
  /** What this process has taken and not given back, by bucket. It does not change while this process registers. */
  const held = createSums();
  let registering: Promise<void> | undefined;
  /** The name of this process in Redis; empty while it is not registered. */
  let name = '';
  let lastName = '';
  let isUsable = false;
  let heartbeatAt = Number.NEGATIVE_INFINITY;
  let used = { bytes: 0, files: 0 };
  /** Why it cannot be used, if Redis has failed. */
  let failure: unknown;
  let counted: Promise<void> | undefined;
  const closing = new AbortController();
  const { signal } = closing;

  function fail(as: string, error: unknown): void {
    if (as !== name || signal.aborted) return;
    name = '';
    isUsable = false;
    failure = error;
  }

  function requireUsable(): void {
    if (!isUsable) throw limiterDown(failure);
  }

  /** Does something under a name of this process. Rejects with AppError `limiter-down`. */
  async function attempt<Result>(work: () => Promise<Result>, as = name): Promise<Result> {
    if (as === '') throw limiterDown(failure);
    const result = await work().catch((error: unknown) => {
      fail(as, error);
      throw limiterDown(error);
    });
    // What this process had taken under an earlier name has been given back.
    if (as !== name) throw limiterDown(failure);
    return result;
  }

  function step(what: string, args: readonly (string | number)[] = [], as = name) {
    return attempt(() => ledger.run(as, what, args), as);
  }

  /** Takes a step that may fail: what Redis has missed is found when this process counts again. */
  const note = (...args: Parameters<typeof step>) =>
    step(...args).then(
      () => {},
      () => {},
    );

  async function giveBack(keys: readonly string[], amount: number, what: string, args: (string | number)[]) {
    if (registering) await registering;
    held.add(keys, -amount);
    await note(what, args);
  }

  async function register(): Promise<void> {
    const next = randomUUID();
    try {
      const { numbers } = await ledger.run(next, 'register', [lastName, ...[...held.entries()].flat()]);
      [name, lastName, heartbeatAt] = [next, next, elapsedMs()];
      isUsable = numbers[0] === 1;
    } catch (error) {
      fail('', error);
    }
  }

  async function sendHeartbeat(): Promise<void> {
    heartbeatAt = elapsedMs();
    const [bytes = 0, files = 0, dead = 0] = (await step('heartbeat')).numbers;
    used = { bytes, files };
    // A dead process may have stored or removed what it has not counted.
    if (dead > 0) void countAgain();
  }

  const keepRegistered = single(async () => {
    if (name !== '') {
      if (elapsedMs() - heartbeatAt >= HEARTBEAT_MS) await sendHeartbeat().catch(() => {});
      return;
    }
    registering = register();
    await registering;
    registering = undefined;
    if (name !== '') counted = countAgain();
  });

  const countAgain = coalesce(() => untilCounted(() => countUnder(name), options, signal, retryMs));

  async function countUnder(as: string): Promise<void> {
    const correct = async (corrections: readonly Correction[]) => {
      const args = corrections.flatMap(({ id, owner, from = '', size }) => {
        const entry = size === undefined ? '' : describeEntry({ owner, size });
        return [id, expiryOf(id), from, entry];
      });
      await step('correct', args, as);
    };
    await recount(await attempt(readEntries, as), correct, options, signal);
    await step('counted', [], as);
    isUsable = true;
    await sendHeartbeat();
  }

  /** Resolves with the size of each entry. */
  async function readEntries(): Promise<Map<UploadId, number>> {
    const sizes = new Map<UploadId, number>();
    for await (const entries of redis.client().hScanIterator(ledger.entries, { COUNT: 1_000 })) {
      for (const { field, value } of entries) {
        const id = parseUploadId(field);
        if (id !== undefined) sizes.set(id, Number.parseInt(value, 10));
      }
    }
    return sizes;
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
    openWindow: (windowMs) =>
      openRedisWindow({
        windowMs,
        redis: {
          prefix: redis.prefix,
          async run(...script) {
            requireUsable();
            return attempt(() => redis.run(...script));
          },
        },
      }),
    ledger: {
      async take(buckets, wanted, needed) {
        requireUsable();
        const args = [wanted, needed, ...buckets.flatMap(({ key, limit }) => [key, limit])];
        const { ok, numbers } = await step('take', args);
        const [amount = 0, exhausted = -1] = numbers;
        if (!ok) return { ok, left: amount, exhausted };
        held.add(
          buckets.map(({ key }) => key),
          amount,
        );
        return { ok, amount };
      },
      give(keys, amount) {
        if (amount !== 0) void giveBack(keys, amount, 'give', [amount, ...keys]);
      },
      keep({ id, owner, size }, taken, replaced) {
        const keys = fileKeys(owner);
        const entry = [id, expiryOf(id), describeEntry({ owner, size })];
        return giveBack(keys, taken, 'keep', [taken, replaced ?? '', ...entry, ...keys]);
      },
      remove: (id) => void note('remove', [id]),
      expire(now) {
        const expireAll = async () => {
          while ((await step('expire', [now])).numbers[0] === 1);
        };
        void expireAll().catch(() => {});
      },
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

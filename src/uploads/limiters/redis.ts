import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { coalesce, single } from '../../domain/serial.ts';
import { expiryOf, parseUploadId, type UploadId } from '../../domain/upload.ts';
import { connectRedis } from '../../redis/connection.ts';
import {
  type Correction,
  createSums,
  type Entry,
  fileKeys,
  type LedgerOptions,
  limiterDown,
} from '../ledger.ts';
import type { Limits } from './drivers.ts';
import { recount, untilCounted } from './recount.ts';
import { createRedisLedger, EXPIRE_BATCH } from './redis-ledger.ts';
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
  const { elapsedMs, report } = options;
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
  let failure: { error: unknown; at: number } | undefined;
  let counting = new AbortController();
  let counted: Promise<void> | undefined;
  let isClosed = false;

  const memberOf = ({ id, size, owner }: Entry) => [id, size, ...fileKeys(owner)].join(' ');

  function fail(as: string, error: unknown): void {
    if (as !== name || isClosed) return;
    name = '';
    isUsable = false;
    counting.abort();
    if (failure) return;
    failure = { error, at: elapsedMs() };
    report({ type: 'limiter-down', error });
  }

  function noteUsable(): void {
    isUsable = true;
    if (failure) report({ type: 'limiter-restored', downMs: elapsedMs() - failure.at });
    failure = undefined;
  }

  function requireUsable(): void {
    if (!isUsable) throw limiterDown(failure?.error);
  }

  /** Does something under the name of this process. Rejects with AppError `limiter-down`. */
  async function attempt<Result>(work: (as: string) => Promise<Result>, as = name): Promise<Result> {
    const result = await work(as).catch((error: unknown) => {
      fail(as, error);
      throw limiterDown(error);
    });
    // What this process had taken under an earlier name has been given back.
    if (as !== name) throw limiterDown(failure?.error);
    return result;
  }

  /** Takes a step. What fails, or comes while this process is not registered, is found when it counts again. */
  async function note(step: string, args: readonly (string | number)[]): Promise<void> {
    const as = name;
    if (as !== '') await ledger.run(as, step, args).catch((error: unknown) => fail(as, error));
  }

  async function giveBack(keys: readonly string[], amount: number, step: string, args: (string | number)[]) {
    if (registering) await registering;
    held.add(keys, -amount);
    await note(step, args);
  }

  async function register(): Promise<void> {
    const next = randomUUID();
    try {
      const { numbers } = await ledger.run(next, 'register', [lastName, ...[...held.entries()].flat()]);
      [name, lastName, heartbeatAt] = [next, next, elapsedMs()];
      if (numbers[0] === 1) noteUsable();
    } catch (error) {
      fail('', error);
    }
  }

  async function sendHeartbeat(): Promise<void> {
    const as = name;
    heartbeatAt = elapsedMs();
    const answer = await ledger.run(as, 'heartbeat').catch((error: unknown) => fail(as, error));
    if (!answer || as !== name) return;
    const [, bytes = 0, files = 0, dead = 0] = answer.numbers;
    used = { bytes, files };
    // A dead process may have stored or removed what it has not counted.
    if (dead > 0) void countAgain();
  }

  const keepRegistered = single(async () => {
    if (name !== '') {
      if (elapsedMs() - heartbeatAt >= HEARTBEAT_MS) await sendHeartbeat();
      return;
    }
    registering = register();
    await registering;
    registering = undefined;
    if (name !== '') counted = countAgain();
  });

  const countAgain = coalesce(async () => {
    counting = new AbortController();
    if (isClosed) counting.abort();
    await untilCounted(() => countUnder(name, counting.signal), options, counting.signal, retryMs);
  });

  async function countUnder(as: string, signal: AbortSignal): Promise<void> {
    if (as === '') return;
    const entries = {
      entries: () => attempt(readEntries, as),
      async correct(corrections: readonly Correction[]) {
        const args = corrections.flatMap(({ from = '', size, ...entry }) => {
          const member = size === undefined ? '' : memberOf({ ...entry, size });
          return [entry.id, expiryOf(entry.id), from, member];
        });
        await attempt(() => ledger.run(as, 'correct', args), as);
      },
    };
    await recount(entries, options, signal);
    await attempt(() => ledger.run(as, 'counted'), as);
    noteUsable();
    await sendHeartbeat();
  }

  async function readEntries(): Promise<Map<UploadId, number>> {
    const entries = new Map<UploadId, number>();
    for await (const members of redis.client().zScanIterator(ledger.files, { COUNT: 1_000 })) {
      for (const { value } of members) {
        const [text = '', size] = value.split(' ', 2);
        const id = parseUploadId(text);
        if (id !== undefined) entries.set(id, Number(size));
      }
    }
    return entries;
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
        const { ok, numbers } = await attempt((as) => ledger.run(as, 'take', args));
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
      keep(entry, taken, replaced) {
        const keys = fileKeys(entry.owner);
        const gone = [replaced ?? '', replaced ? expiryOf(replaced) : 0];
        const kept = [entry.id, expiryOf(entry.id), memberOf(entry)];
        return giveBack(keys, taken, 'keep', [taken, ...gone, ...kept, ...keys]);
      },
      remove: (id) => void note('remove', [id, expiryOf(id)]),
      expire(now) {
        const as = name;
        const expireAll = async () => {
          while ((await ledger.run(as, 'expire', [now])).numbers[0] === EXPIRE_BATCH);
        };
        if (as !== '') expireAll().catch((error: unknown) => fail(as, error));
      },
      used: () => used,
    },
    checks: {
      async limiter() {
        await redis.client().ping();
      },
      async quota() {
        requireUsable();
        await redis.client().ping();
      },
    },
    async close() {
      isClosed = true;
      clearInterval(timer);
      counting.abort();
      await countAgain();
      if (name !== '') await ledger.run(name, 'unregister').catch(() => {});
      redis.close();
    },
  };
}

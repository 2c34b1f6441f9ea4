import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { coalesce, single } from '../../domain/serial.ts';
import { parseUploadId, type UploadId } from '../../domain/upload.ts';
import { connectRedis } from '../../redis/connection.ts';
import { createSums, type Entry, type LedgerOptions, limiterDown } from '../ledger.ts';
import type { Limits } from './drivers.ts';
import { recount, untilCounted } from './recount.ts';
import { createRedisLedger } from './redis-ledger.ts';
import { openRedisWindow } from './redis-window.ts';

const REPLY_TIMEOUT_MS = 2_000;
/** How long the start waits for the connection, and then for what is stored to be counted. */
const START_TIMEOUT_MS = 1_000;
/** A quarter of the time after which Redis gives back what a silent process holds. */
const HEARTBEAT_MS = 5_000;
const RETRY_MS = 1_000;

/** What a process does in the ledger under its name there. */
type Step<Result> = (name: string) => Promise<Result>;

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
  const { keysOf, elapsedMs, report } = options;
  const redis = connectRedis(url, { replyTimeoutMs: REPLY_TIMEOUT_MS });
  const ledger = createRedisLedger(redis, keysOf);
  /** What this process has taken and not given back, by bucket. */
  const held = createSums();
  /** What has to be done as soon as this process is registered again. */
  let postponed: Step<unknown>[] = [];
  /** What was given back while this process registers, and is still held under its new name. */
  let givenLate: Step<void>[] = [];
  /** The name of this process in Redis; empty while it is not registered. */
  let name = '';
  let lastName = '';
  let isRegistering = false;
  let isUsable = false;
  let heartbeatAt = Number.NEGATIVE_INFINITY;
  let used = { bytes: 0, files: 0 };
  let failure: { error: unknown; at: number } | undefined;
  let counting = new AbortController();
  let counted: Promise<void> | undefined;
  let isClosed = false;

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

  /** Rejects with AppError `limiter-down`. */
  async function take<Result>(step: Step<Result>, as = name): Promise<Result> {
    const result = await step(as).catch((error: unknown) => {
      fail(as, error);
      throw limiterDown(error);
    });
    // What this process had taken under an earlier name has been given back.
    if (as !== name) throw limiterDown(failure?.error);
    return result;
  }

  function requireUsable(): void {
    if (!isUsable) throw limiterDown(failure?.error);
  }

  /** Takes a step now, or again when this process is registered the next time. */
  async function takeInAnyCase(step: Step<unknown>): Promise<void> {
    const as = name;
    if (as === '') return void postponed.push(step);
    await step(as).catch((error: unknown) => {
      fail(as, error);
      postponed.push(step);
    });
  }

  async function give(keys: readonly string[], amount: number): Promise<void> {
    if (amount === 0) return;
    const as = name;
    held.add(keys, -amount);
    if (isRegistering) givenLate.push((later) => ledger.give(later, keys, amount));
    else if (as !== '') await ledger.give(as, keys, amount).catch((error: unknown) => fail(as, error));
  }

  async function keep(entry: Entry, taken: number, replaced?: UploadId): Promise<void> {
    const as = name;
    if (as === '') {
      void give(keysOf(entry.owner), taken);
      return takeInAnyCase((later) => ledger.keep(later, entry, 0, replaced));
    }
    held.add(keysOf(entry.owner), -taken);
    await ledger.keep(as, entry, taken, replaced).catch((error: unknown) => {
      fail(as, error);
      return takeInAnyCase((later) => ledger.keep(later, entry, 0, replaced));
    });
  }

  async function register(): Promise<void> {
    const next = randomUUID();
    isRegistering = true;
    givenLate = [];
    try {
      const isCounted = await ledger.register(next, lastName, held.entries());
      [name, lastName, heartbeatAt] = [next, next, elapsedMs()];
      if (isCounted) noteUsable();
    } catch (error) {
      fail('', error);
    } finally {
      isRegistering = false;
    }
    if (name === '') return;
    for (const step of givenLate) step(next).catch((error: unknown) => fail(next, error));
    const steps = postponed;
    postponed = [];
    for (const step of steps) void takeInAnyCase(step);
    counted = countAgain();
  }

  async function sendHeartbeat(): Promise<void> {
    const as = name;
    heartbeatAt = elapsedMs();
    const answer = await ledger.sendHeartbeat(as).catch((error: unknown) => fail(as, error));
    if (!answer || as !== name) return;
    used = answer.used;
    // A dead process may have stored or removed what it has not counted.
    if (answer.dead > 0) void countAgain();
  }

  const keepRegistered = single(async () => {
    if (name === '') await register();
    else if (elapsedMs() - heartbeatAt >= HEARTBEAT_MS) await sendHeartbeat();
  });

  const countAgain = coalesce(async () => {
    counting = new AbortController();
    if (isClosed) counting.abort();
    await untilCounted(() => countUnder(name, counting.signal), options, counting.signal, retryMs);
  });

  async function countUnder(as: string, signal: AbortSignal): Promise<void> {
    if (as === '') return;
    const entries = {
      entries: () => take(readEntries, as),
      correct: (corrections: Parameters<typeof ledger.correct>[1]) =>
        take(() => ledger.correct(as, corrections), as),
    };
    await recount(entries, options, signal);
    await take(ledger.noteCounted, as);
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
            return take(() => redis.run(...script));
          },
        },
      }),
    ledger: {
      async take(buckets, wanted, needed) {
        requireUsable();
        const taken = await take((as) => ledger.take(as, buckets, wanted, needed));
        if (taken.ok) {
          held.add(
            buckets.map(({ key }) => key),
            taken.amount,
          );
        }
        return taken;
      },
      give: (keys, amount) => void give(keys, amount),
      keep,
      remove: (id) => void takeInAnyCase((as) => ledger.remove(as, id)),
      expire(now) {
        const as = name;
        if (as !== '') ledger.expire(as, now).catch((error: unknown) => fail(as, error));
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
      if (name !== '') await ledger.unregister(name).catch(() => {});
      redis.close();
    },
  };
}

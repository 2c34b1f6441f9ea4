import { randomUUID } from 'node:crypto';
import { AppError } from '../../domain/errors.ts';
import { expiryOf } from '../../domain/upload.ts';
import { connectRedis } from '../../redis/connection.ts';
import { type Quota, type QuotaOptions, type QuotaReservation, quotaExceeded } from '../quota.ts';
import { retryCount, unexpired, until } from './count-stored.ts';
import { openProcessQuota, type ProcessQuota } from './process.ts';
import { createLedger, type Ledger, LedgerLostError } from './redis-ledger.ts';
import { createSharedReservation } from './shared-reservation.ts';
import type { CountedFile } from './stored-files.ts';

/** An upload can wait for Redis: what it does not answer at all, the pings of the connection find out. */
const REPLY_TIMEOUT_MS = 5_000;
const CONNECT_TIMEOUT_MS = 1_000;
/** Four of them fit into the time after which Redis takes a process for dead. */
const BEAT_MS = 5_000;
const COUNTED_AT_ONCE = 200;

/**
 * All processes on one Redis count together, exactly: a reservation is one atomic step, and those of a process that died
 * expire. While Redis is away, each process counts by itself; what it stored then is added when Redis is back.
 */
export async function openRedisQuota(url: string, options: QuotaOptions): Promise<Quota> {
  const { report, elapsedMs } = options;
  const redis = connectRedis(url, { replyTimeoutMs: REPLY_TIMEOUT_MS });
  const ledger = createLedger(redis, options);
  const local = await openProcessQuota(options);
  /** The name of this process in the ledger. A new one owes nothing to what failed under the old one. */
  let processName = randomUUID();
  let isUsable = false;
  let hasUncounted = false;
  let shown: { bytes: number; files: number } | undefined;
  let failedAt: number | undefined;
  let stopCounting: (() => Promise<void>) | undefined;

  async function beat(): Promise<void> {
    try {
      const { isCounted, ...used } = await ledger.beat(processName);
      shown = used;
      if (isUsable && !isCounted) throw new LedgerLostError();
      if (isCounted && !hasUncounted && !stopCounting) restore();
      else stopCounting ??= retryCount(count, { report });
    } catch (error) {
      degrade(error);
    }
  }

  /** Counts every file that is stored. When the ledger fails meanwhile, the next beat begins again. */
  async function count(signal: AbortSignal): Promise<void> {
    let ledgerError: unknown;
    const inLedger = <Result>(answer: Promise<Result>): Promise<Result> =>
      answer.catch((error: unknown) => {
        ledgerError = error;
        throw error;
      });
    try {
      // What was stored meanwhile may have been passed over; nothing more is once the ledger is usable.
      do await countInto(signal, inLedger);
      while (hasUncounted);
    } catch (error) {
      if (error !== ledgerError) throw error;
      hasUncounted = true;
      degrade(error);
    }
    stopCounting = undefined;
  }

  /** Counts every file into the ledger; those that it has count once. */
  async function countInto(
    signal: AbortSignal,
    inLedger: <Result>(answer: Promise<Result>) => Promise<Result>,
  ): Promise<void> {
    hasUncounted = false;
    let batch: { file: CountedFile; expiresAt: number }[] = [];
    const flush = async () => {
      if (batch.length > 0) await inLedger(ledger.add(processName, batch));
      batch = [];
    };
    for await (const file of until(signal, unexpired(options))) {
      batch.push({ file, expiresAt: expiryOf(file.id) ?? 0 });
      if (batch.length === COUNTED_AT_ONCE) await flush();
    }
    await flush();
    await inLedger(ledger.noteCounted());
    shown = await inLedger(ledger.beat(processName));
    restore();
  }

  function restore(): void {
    isUsable = true;
    if (failedAt !== undefined) report({ type: 'quota-restored', downMs: elapsedMs() - failedAt });
    failedAt = undefined;
  }

  function degrade(error: unknown): void {
    if (failedAt === undefined) report({ type: 'quota-degraded', error });
    failedAt ??= elapsedMs();
    isUsable = false;
    processName = randomUUID();
    if (error instanceof LedgerLostError) void beat();
  }

  /** Uses the ledger, or what this process counts by itself when the ledger fails. An AppError is no failure. */
  async function tryLedger<Result>(
    use: (ledger: Ledger, processName: string) => Promise<Result>,
  ): Promise<Result | undefined> {
    if (!isUsable) return undefined;
    try {
      return await use(ledger, processName);
    } catch (error) {
      if (error instanceof AppError) throw error;
      degrade(error);
      return undefined;
    }
  }

  const shared = {
    processName: () => (isUsable ? processName : undefined),
    tryLedger,
    local: noteLocal(local),
  };

  /** What is stored while the ledger is away has to be counted into it later. */
  function noteLocal(quota: ProcessQuota): ProcessQuota {
    return {
      ...quota,
      async reserve(...request) {
        const reservation = await quota.reserve(...request);
        const keep: QuotaReservation['keep'] = async (...file) => {
          hasUncounted = true;
          await reservation.keep(...file);
        };
        return { ...reservation, keep };
      },
    };
  }

  await redis.whenReady(CONNECT_TIMEOUT_MS).catch(() => {});
  await beat();
  redis.onChange(() => void beat());
  const beating = setInterval(() => void beat(), BEAT_MS);

  return {
    async reserve(owner, bytes, neededBytes = 0) {
      const taken = await tryLedger(async (ledger, name) => ({
        name,
        ...(await ledger.take(name, owner, bytes, neededBytes)),
      }));
      if (taken && 'left' in taken) throw quotaExceeded(taken.left, taken.exhausted);
      const begun = taken
        ? { processName: taken.name, bytes: taken.bytes }
        : await shared.local.reserve(owner, bytes, neededBytes);
      return createSharedReservation(shared, owner, begun);
    },
    async replace(counted, id, size, publish) {
      const file = { id, owner: counted.owner, size };
      const swap = async (from: CountedFile, to: CountedFile) => {
        const isCounted = await tryLedger((ledger, name) => ledger.replace(name, from, to).then(() => true));
        hasUncounted ||= !isCounted;
      };
      await swap(counted, file);
      await local.replace(counted, id, size, publish).catch(async (error: unknown) => {
        await swap(file, counted);
        throw error;
      });
    },
    forget(removed, isOwn) {
      local.forget(removed, isOwn);
      void tryLedger(async (ledger, name) => {
        await ledger.remove(name, removed);
        shown = await ledger.beat(name);
      });
    },
    expire(now) {
      local.expire(now);
      void tryLedger((ledger, name) => ledger.expire(name, now));
    },
    stored: () => (isUsable && shown ? shown : local.stored()),
    async close() {
      clearInterval(beating);
      isUsable = false;
      await stopCounting?.();
      await local.close();
      redis.close();
    },
  };
}

import { randomUUID } from 'node:crypto';
import { AppError } from '../../domain/errors.ts';
import { expiryOf } from '../../domain/upload.ts';
import { connectRedis } from '../../redis/connection.ts';
import type { Quota, QuotaOptions, QuotaReservation } from '../quota.ts';
import { retryCount, unexpired, until } from './count-stored.ts';
import { openProcessQuota, type ProcessQuota } from './process.ts';
import { createLedger, type Ledger, LedgerLostError } from './redis-ledger.ts';
import { createSharedReservation, type SharedQuota } from './shared-reservation.ts';
import type { CountedFile } from './stored-files.ts';

/** An upload can wait this long. The pings of the connection detect a server that is dead. */
const REPLY_TIMEOUT_MS = 5_000;
const CONNECT_TIMEOUT_MS = 1_000;
/** A quarter of the time after which Redis releases the reservations of a silent process. */
const HEARTBEAT_MS = 5_000;
const COUNTED_AT_ONCE = 200;

/**
 * All processes on one Redis share an exact quota: a reservation is one atomic step, and the reservations of a dead process
 * expire. While Redis is down, each process counts by itself; the files stored then are added when Redis works again.
 */
export async function openRedisQuota(url: string, options: QuotaOptions): Promise<Quota> {
  const { report, elapsedMs } = options;
  const redis = connectRedis(url, { replyTimeoutMs: REPLY_TIMEOUT_MS });
  const ledger = createLedger(redis, options);
  const local = await openProcessQuota(options);
  /** The name of this process in the ledger. After a failure it is a new one: reservations of the old name expire. */
  let processName = randomUUID();
  let isUsable = false;
  let hasUncounted = false;
  let shown: { bytes: number; files: number } | undefined;
  let failedAt: number | undefined;
  let stopCounting: (() => Promise<void>) | undefined;

  async function sendHeartbeat(): Promise<void> {
    try {
      const { isCounted, ...used } = await ledger.sendHeartbeat(processName);
      shown = used;
      if (isUsable && !isCounted) throw new LedgerLostError();
      if (isCounted && !hasUncounted && !stopCounting) restore();
      else stopCounting ??= retryCount(count, { report });
    } catch (error) {
      degrade(error);
    }
  }

  /** Counts every file that is stored. When the ledger fails meanwhile, the next heartbeat begins again. */
  async function count(signal: AbortSignal): Promise<void> {
    let ledgerError: unknown;
    const inLedger = <Result>(answer: Promise<Result>): Promise<Result> =>
      answer.catch((error: unknown) => {
        ledgerError = error;
        throw error;
      });
    try {
      // The listing may have missed files that were stored during it. Once the ledger is usable, they are added directly.
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
    shown = await inLedger(ledger.sendHeartbeat(processName));
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
    if (error instanceof LedgerLostError) void sendHeartbeat();
  }

  /** Resolves with undefined when the ledger cannot be used; the caller then counts in this process. Passes on an AppError. */
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

  const shared: SharedQuota = {
    processName: () => (isUsable ? processName : undefined),
    tryLedger,
    take: (owner, wanted, needed) =>
      tryLedger(async (ledger, name) => ({
        processName: name,
        bytes: await ledger.take(name, owner, wanted, needed),
      })),
    local: noteUncounted(local),
  };

  /** Notes that a file was stored while the ledger was away, and has to be added to it later. */
  function noteUncounted(quota: ProcessQuota): ProcessQuota {
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
  await sendHeartbeat();
  redis.onChange(() => void sendHeartbeat());
  const heartbeat = setInterval(() => void sendHeartbeat(), HEARTBEAT_MS);

  return {
    async reserve(owner, bytes, neededBytes = 0) {
      const taken = await shared.take(owner, bytes, neededBytes);
      const begun = taken ?? (await shared.local.reserve(owner, bytes, neededBytes));
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
    forget(removed, removal) {
      local.forget(removed, removal);
      void tryLedger(async (ledger, name) => {
        await ledger.remove(name, removed);
        shown = await ledger.sendHeartbeat(name);
      });
    },
    expire(now) {
      local.expire(now);
      void tryLedger((ledger, name) => ledger.expire(name, now));
    },
    stored: () => (isUsable && shown ? shown : local.stored()),
    async close() {
      clearInterval(heartbeat);
      isUsable = false;
      await stopCounting?.();
      await local.close();
      redis.close();
    },
  };
}

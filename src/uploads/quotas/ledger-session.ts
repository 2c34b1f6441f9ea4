import { randomUUID } from 'node:crypto';
import { AppError } from '../../domain/errors.ts';
import type { RedisConnection } from '../../redis/connection.ts';
import type { QuotaOptions } from '../quota.ts';
import { retryCount, unexpired } from './count-stored.ts';
import { createLedger, type Ledger, LedgerLostError } from './redis-ledger.ts';
import type { CountedFile } from './stored-files.ts';

const CONNECT_TIMEOUT_MS = 1_000;
/** A quarter of the time after which Redis releases the reservations of a silent process. */
const HEARTBEAT_MS = 5_000;
const COUNT_BATCH = 200;

export interface LedgerReservation {
  processName: string;
  bytes: number;
}

export type LedgerSession = Awaited<ReturnType<typeof openLedgerSession>>;

/**
 * Keeps this process registered in the ledger, and counts what is stored into it. The ledger is unavailable until all is
 * counted, and after a failure until all is counted again.
 */
export async function openLedgerSession(redis: RedisConnection, options: QuotaOptions) {
  const { report, elapsedMs } = options;
  const ledger = createLedger(redis, options);
  /** The name of this process in the ledger. Each failure changes it, and the reservations of the old name expire. */
  let processName = randomUUID();
  let isUsable = false;
  let hasUncounted = false;
  let used: { bytes: number; files: number } | undefined;
  let failedAt: number | undefined;
  let stopCounting: (() => Promise<void>) | undefined;

  async function sendHeartbeat(): Promise<void> {
    try {
      const { isCounted, ...current } = await ledger.sendHeartbeat(processName);
      used = current;
      if (isUsable && !isCounted) throw new LedgerLostError();
      if (isCounted && !hasUncounted && !stopCounting) restore();
      else stopCounting ??= retryCount(count, report);
    } catch (error) {
      degrade(error);
    }
  }

  /** Counts every stored file. When the ledger fails meanwhile, the next heartbeat starts a new count. */
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

  /** Counts every file into the ledger, which ignores those that it has already. */
  async function countInto(
    signal: AbortSignal,
    inLedger: <Result>(answer: Promise<Result>) => Promise<Result>,
  ): Promise<void> {
    hasUncounted = false;
    let batch: CountedFile[] = [];
    const flush = async () => {
      if (batch.length > 0) await inLedger(ledger.add(processName, batch));
      batch = [];
    };
    for await (const file of unexpired(options, signal)) {
      batch.push(file);
      if (batch.length === COUNT_BATCH) await flush();
    }
    await flush();
    await inLedger(ledger.noteCounted());
    used = await inLedger(ledger.sendHeartbeat(processName));
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

  async function attempt<Result>(
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

  await redis.whenReady(CONNECT_TIMEOUT_MS).catch(() => {});
  await sendHeartbeat();
  redis.onChange(() => void sendHeartbeat());
  const heartbeat = setInterval(() => void sendHeartbeat(), HEARTBEAT_MS);

  return {
    /** The name of this process in the ledger; undefined while the ledger is unavailable. */
    processName: () => (isUsable ? processName : undefined),
    /** Uses the ledger. Resolves with undefined while it is unavailable, also when it fails now. Passes on an AppError. */
    attempt,
    /** Reserves bytes; resolves with undefined while the ledger is unavailable. Throws AppError `storage-full`. */
    take: (owner: string, wanted: number, needed: number): Promise<LedgerReservation | undefined> =>
      attempt(async (ledger, name) => ({
        processName: name,
        bytes: await ledger.take(name, owner, wanted, needed),
      })),
    async remove(file: CountedFile): Promise<void> {
      await attempt(async (ledger, name) => {
        await ledger.remove(name, file);
        used = await ledger.sendHeartbeat(name);
      });
    },
    /** To be called when a file is stored that is not in the ledger: the storage is then counted again. */
    noteUncounted(): void {
      hasUncounted = true;
    },
    /** What is used, as of the last heartbeat; undefined while the ledger is unavailable. */
    used: () => (isUsable ? used : undefined),
    async close(): Promise<void> {
      clearInterval(heartbeat);
      isUsable = false;
      await stopCounting?.();
    },
  };
}

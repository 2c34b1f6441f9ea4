import { connectRedis } from '../../redis/connection.ts';
import type { Quota, QuotaOptions } from '../quota.ts';
import { openLedgerSession } from './ledger-session.ts';
import { openProcessQuota } from './process.ts';
import { createSharedReservation } from './shared-reservation.ts';
import type { CountedFile } from './stored-files.ts';

/** An upload can wait this long. The pings of the connection detect a server that is dead. */
const REPLY_TIMEOUT_MS = 5_000;

/**
 * All processes on one Redis share an exact quota: a reservation is one atomic step, and the reservations of a dead process
 * expire. While Redis is down, each process counts by itself; the files stored then are added when Redis works again.
 */
export async function openRedisQuota(url: string, options: QuotaOptions): Promise<Quota> {
  const redis = connectRedis(url, { replyTimeoutMs: REPLY_TIMEOUT_MS });
  const local = await openProcessQuota(options);
  const session = await openLedgerSession(redis, options);

  async function replaceInLedger(counted: CountedFile, file: CountedFile): Promise<void> {
    const isReplaced = await session.attempt(async (ledger, name) => {
      await ledger.replace(name, counted, file);
      return true;
    });
    if (!isReplaced) session.noteUncounted();
  }

  return {
    async reserve(owner, bytes, neededBytes = 0) {
      const taken = await session.take(owner, bytes, neededBytes);
      const begun = taken ?? (await local.reserve(owner, bytes, neededBytes));
      return createSharedReservation(session, local, owner, begun);
    },
    async replace(counted, id, size, publish) {
      const file = { id, owner: counted.owner, size };
      await replaceInLedger(counted, file);
      await local.replace(counted, id, size, publish).catch(async (error: unknown) => {
        await replaceInLedger(file, counted);
        throw error;
      });
    },
    forget(removed, removal) {
      local.forget(removed, removal);
      void session.remove(removed);
    },
    expire(now) {
      local.expire(now);
      void session.attempt((ledger, name) => ledger.expire(name, now));
    },
    stored: () => session.used() ?? local.stored(),
    async check() {
      await redis.client().ping();
      if (!session.used()) throw new Error('the shared quota is not usable');
    },
    async close() {
      await session.close();
      await local.close();
      redis.close();
    },
  };
}

import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { AppError } from '../../../../src/domain/errors.ts';
import type { UploadId } from '../../../../src/domain/upload.ts';
import { openMemoryLimits } from '../../../../src/uploads/limiters/memory.ts';
import { createResumableUploads } from '../../../../src/uploads/resumable.ts';
import type { LockedUpload } from '../../../../src/uploads/resumable-storage.ts';
import type { Storage } from '../../../../src/uploads/storage.ts';
import { createUploads } from '../../../../src/uploads/uploads.ts';
import { openLimits } from '../../../support/quota.ts';
import type { Turns } from '../turns.ts';
import type { Body } from './scenario.ts';

const GB = 1024 ** 3;
const HOUR_MS = 3_600_000;
const CHUNK_BYTES = 60_000;

export type ModelProcess = Awaited<ReturnType<typeof openProcess>>;

/** A process that receives resumable uploads with the code of the service. Each step on its storage waits for a turn. */
export async function openProcess(name: string, storage: Storage, turns: Turns, now: () => number) {
  const locks = new Set<LockedUpload>();
  let isKilled = false;
  let elapsed = 0;
  /** Waiting for a lock takes no time. */
  const elapsedMs = () => {
    elapsed += 1_000;
    return elapsed;
  };
  const wait = <Value>(work: () => Value) => turns.wait(name, work);
  const wired = { now, elapsedMs, report: () => {} };
  const limits = { maxBytes: GB, totalBytes: GB, ownerBytes: GB };
  const { quota, close } = await openLimits(openMemoryLimits, { ...limits, ...wired, storage });
  const delayed: Storage = {
    ...turns.delay(name, storage, ['open', 'remove']),
    resumable: { ...turns.delay(name, storage.resumable, ['create', 'find']), lock },
  };
  const receiving = { ...limits, ...wired, storage: delayed, quota, scanner: undefined };
  const resumable = createResumableUploads({ ...receiving, resumeTtlMs: HOUR_MS });

  async function lock(key: UploadId): Promise<LockedUpload | undefined> {
    const locked = await wait(() => storage.resumable.lock(key));
    if (!locked) return undefined;
    locks.add(locked);
    return {
      ...turns.delay(name, locked, ['startUnverified', 'append', 'commit', 'rollback', 'remove']),
      stage: (watch) => wait(async () => turns.delay(name, await locked.stage(watch), ['publish'])),
      release: () =>
        wait(async () => {
          locks.delete(locked);
          await locked.release();
        }),
    };
  }

  return {
    name,
    storage,
    resumable,
    uploads: createUploads(receiving),
    isKilled: () => isKilled,

    /** Sends bytes from `offset` on, as a client that may break off or be wrong. Resolves with the new offset. */
    send(secret: UploadId, offset: number, bytes: Buffer, body: Body): Promise<number> {
      const digest = createHash('sha256').update(bytes).digest();
      const isChecked = body === 'checked' || body === 'damaged';
      const sent = body === 'damaged' ? Buffer.alloc(bytes.length, 1) : bytes;
      const end = body === 'cut' ? Math.ceil(bytes.length / 2) : bytes.length;
      return resumable.append(
        secret,
        offset,
        async (append) => {
          for (let at = 0; at < end; at += CHUNK_BYTES)
            await append(sent.subarray(at, Math.min(at + CHUNK_BYTES, end)));
          if (body === 'cut') throw new AppError('invalid-request', 'cut off');
        },
        isChecked ? { algorithm: 'sha256', digest } : undefined,
      );
    },

    /** Nothing comes after what has happened. The operating system releases the locks. */
    async kill() {
      isKilled = true;
      turns.abandon(name);
      for (const locked of locks) await locked.release();
      await close();
      await storage.close();
      await setImmediate();
    },
  };
}

import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { AppError } from '../../../../src/domain/errors.ts';
import type { UploadId } from '../../../../src/domain/upload.ts';
import { openMemoryLimits } from '../../../../src/uploads/limiters/memory.ts';
import { createResumableUploads } from '../../../../src/uploads/resumable.ts';
import type { LockedUpload } from '../../../../src/uploads/resumable-storage.ts';
import type { StagedUpload, Storage, Usage } from '../../../../src/uploads/storage.ts';
import { startSweeping } from '../../../../src/uploads/sweep.ts';
import { createUploads } from '../../../../src/uploads/uploads.ts';
import { openLimits } from '../../../support/quota.ts';
import type { Turns } from '../turns.ts';
import type { Body } from './scenario.ts';

const GB = 1024 ** 3;
const CHUNK_BYTES = 60_000;
export const SENDER = { owner: '203.0.113.7', address: '203.0.113.7' };
const CLAIMS = { originalname: 'data.bin', encoding: '7bit', mimetype: 'application/octet-stream' };
export const RESUME_TTL_MS = 3_600_000;

export type ModelProcess = Awaited<ReturnType<typeof openProcess>>;

interface ProcessOptions {
  name: string;
  storage: Storage;
  turns: Turns;
  now: () => number;
  ownerBytes: number;
}

/** A process that receives uploads with the code of the service. Each step on its storage waits for a turn. */
export async function openProcess({ name, storage, turns, now, ownerBytes }: ProcessOptions) {
  const locks = new Set<LockedUpload>();
  const staged: StagedUpload[] = [];
  let isKilled = false;
  let isCounted = false;
  let elapsed = 0;
  /** Waiting for a lock takes no time. */
  const elapsedMs = () => {
    elapsed += 1_000;
    return elapsed;
  };
  const wait = <Value>(work: () => Value) => turns.wait(name, work);
  const delayed: Storage = {
    ...turns.delay(name, storage, ['open', 'remove', 'sweep']),
    stage: (chunks, options) => wait(async () => delayStaged(await storage.stage(chunks, options))),
    usage: () => inTurns(storage.usage()),
    resumable: {
      ...turns.delay(name, storage.resumable, ['create', 'find']),
      lock,
      async *usage() {
        yield* inTurns(storage.resumable.usage());
        isCounted = true;
      },
    },
  };
  const wired = { now, elapsedMs, report: () => {} };
  const limits = { maxBytes: GB, totalBytes: GB, ownerBytes };
  const { quota, close } = await openLimits(openMemoryLimits, { ...limits, ...wired, storage: delayed });
  const receiving = { ...limits, ...wired, storage: delayed, quota, scanner: undefined };
  const resumable = createResumableUploads({ ...receiving, resumeTtlMs: RESUME_TTL_MS });
  const uploads = createUploads(receiving);

  /** A process that is killed leaves no open folder behind. */
  async function* inTurns(usages: AsyncIterable<Usage>): AsyncGenerator<Usage> {
    for (const usage of await Array.fromAsync(usages)) {
      await wait(() => {});
      yield usage;
    }
  }

  function delayStaged(one: StagedUpload): StagedUpload {
    staged.push(one);
    return turns.delay(name, one, ['publish', 'discard']);
  }

  async function lock(key: UploadId): Promise<LockedUpload | undefined> {
    const locked = await wait(() => storage.resumable.lock(key));
    if (!locked) return undefined;
    locks.add(locked);
    return {
      ...turns.delay(name, locked, ['startUnverified', 'append', 'commit', 'rollback', 'remove']),
      stage: () => wait(async () => delayStaged(await locked.stage())),
      release: () =>
        wait(async () => {
          locks.delete(locked);
          await locked.release();
        }),
    };
  }

  return {
    name,
    /** Without delays. */
    storage,
    quota,
    resumable,
    uploads,
    isKilled: () => isKilled,
    /** Whether it has counted what was stored when it started. */
    isCounted: () => isCounted,

    /** Uploads a file in one request. */
    async upload(bytes: Buffer, isCut: boolean, expiresAt: number) {
      const receiver = await uploads.receive(SENDER, bytes.length);
      try {
        await receiver.reserve(bytes.length);
        // The memory of what is staged is freed.
        const sent = Buffer.from(bytes);
        await receiver.stage(Readable.from(isCut ? cutOff(sent) : [sent], { objectMode: false }));
        return await receiver.publish(CLAIMS, expiresAt);
      } finally {
        await receiver.close();
      }
    },

    /** Sends bytes from `offset` on, as a client that may break off or be wrong. Resolves with the new offset. */
    send(secret: UploadId, offset: number, bytes: Buffer, body: Body): Promise<number> {
      const digest = createHash('sha256').update(bytes).digest();
      const isChecked = body === 'checked' || body === 'damaged';
      const sent = body === 'damaged' ? Buffer.alloc(bytes.length, 1) : bytes;
      return resumable.append(
        secret,
        offset,
        async (append) => {
          for (const chunk of body === 'cut' ? cutOff(sent) : chunksOf(sent)) await append(chunk);
        },
        isChecked ? { algorithm: 'sha256', digest } : undefined,
      );
    },

    /** As the service does every half minute. */
    sweep: () => startSweeping({ storage: delayed, quota, report: () => {}, now }).stop(),

    /** Nothing comes after what has happened. The operating system releases the locks and closes the files. */
    async kill() {
      isKilled = true;
      turns.abandon(name);
      for (const locked of locks) await locked.release();
      for (const one of staged) await one.discard();
      // It would wait for a count that does not go on.
      void close();
      await storage.close();
      await setImmediate();
    },
  };
}

function* chunksOf(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) yield bytes.subarray(at, at + CHUNK_BYTES);
}

function* cutOff(bytes: Buffer): Generator<Buffer> {
  yield* chunksOf(bytes.subarray(0, Math.ceil(bytes.length / 2)));
  throw new AppError('invalid-request', 'cut off');
}

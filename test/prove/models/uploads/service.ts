import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { AppError } from '../../../../src/domain/errors.ts';
import type { OperationalEvent } from '../../../../src/domain/operational-event.ts';
import { openMemoryLimits } from '../../../../src/uploads/limiters/memory.ts';
import { followModeration } from '../../../../src/uploads/moderation/follow-moderation.ts';
import { openDiskStorage } from '../../../../src/uploads/storage/disk.ts';
import type { Storage } from '../../../../src/uploads/storage.ts';
import { createUploads } from '../../../../src/uploads/uploads.ts';
import { openLimits } from '../../../support/quota.ts';
import type { Turns } from '../turns.ts';
import { delayStorage } from './delayed-storage.ts';
import { type KnownFiles, OWNER_BYTES, TOTAL_BYTES } from './known-files.ts';
import { OWNERS, SIZES, type Step } from './scenario.ts';

const MINUTE_MS = 60_000;
const CLAIMS = { originalname: 'data.bin', encoding: '7bit', mimetype: 'application/octet-stream' };
/** The text after a file, of which the length of a request has to allow for some. */
const ENVELOPE_BYTES = 1_000;

export type ModelService = Awaited<ReturnType<typeof openService>>;
/** What a request or the service itself begins. */
type Begun = Extract<Step, { type: 'upload' | 'delete' | 'sweep' }>;

interface ServiceOptions {
  root: string;
  name: string;
  turns: Turns;
  known: KnownFiles;
  now: () => number;
  faults: string[];
}

/** A process that receives uploads, with the code of the service over a folder. */
export async function openService({ root, name, turns, known, now, faults }: ServiceOptions) {
  const storage = await openDiskStorage(root, now);
  const delayed = delayStorage(storage, { turns, name, known });
  let underWay = 0;
  let isListing = true;
  const report = (event: OperationalEvent) => {
    if (event.type === 'store-failed') faults.push(`${event.doing}: ${event.error}`);
  };
  const counting = {
    ...delayed,
    async *usage() {
      isListing = true;
      yield* delayed.usage();
      isListing = false;
    },
  };
  const { quota, close } = await openLimits(openMemoryLimits, {
    totalBytes: TOTAL_BYTES,
    ownerBytes: OWNER_BYTES,
    storage: counting,
    elapsedMs: now,
    now,
    report,
  });
  const moderation = followModeration({
    storage: countReads(storage),
    onRemoved: (id) => quota.release(id),
    elapsedMs: now,
  });
  const receiving = { storage: delayed, quota, maxBytes: 1_000_000, now, report, receiver: name };
  const uploads = createUploads({ ...receiving, blocks: moderation.blocks });

  function countReads({ open, records }: Storage): Pick<Storage, 'open' | 'records'> {
    const count = async <Value>(work: Promise<Value>): Promise<Value> => {
      underWay += 1;
      return work.finally(() => {
        underWay -= 1;
      });
    };
    async function* list(prefix: string) {
      underWay += 1;
      try {
        yield* records.list(prefix);
      } finally {
        underWay -= 1;
      }
    }
    return {
      open: (id) => count(open(id)),
      records: { ...records, get: (one) => count(records.get(one)), list },
    };
  }

  async function upload({ owner, size, minutes, isDeclared, isCut }: Extract<Step, { type: 'upload' }>) {
    const bytes = Buffer.alloc(SIZES[size] ?? 0, size);
    const sender = { owner: OWNERS[owner] ?? '', address: OWNERS[owner] ?? '' };
    const declared = isDeclared ? [bytes.length + ENVELOPE_BYTES, ENVELOPE_BYTES] : [];
    // A process that is killed after it has published goes on here: what another one follows since says nothing of it.
    const isBlocked = known.followed.has(createHash('sha256').update(bytes).digest('hex'));
    const receiver = await uploads.receive(sender, ...declared);
    try {
      await receiver.reserve(bytes.length);
      await receiver.stage(Readable.from(isCut ? cutOff(bytes) : [bytes], { objectMode: false }));
      const expiresAt = Math.ceil(now() / MINUTE_MS + minutes) * MINUTE_MS;
      const { id, deleteKey } = await receiver.publish(CLAIMS, expiresAt);
      const file = known.files.get(id);
      if (!file) faults.push('an upload was acknowledged and not published');
      else file.deleteKey = deleteKey;
      if (isBlocked) faults.push('blocked bytes were published');
    } finally {
      await receiver.close();
    }
  }

  async function remove({ file, hasKey }: Extract<Step, { type: 'delete' }>) {
    const id = known.choose(file);
    const { deleteKey = '' } = known.files.get(id) ?? {};
    await uploads.remove(id, hasKey ? deleteKey : 'guessed');
    if (!hasKey) faults.push('a deletion needed no key');
    if (known.expectedError(id, now()) === undefined) faults.push('a deletion did nothing');
  }

  async function perform(operation: Begun): Promise<void> {
    if (operation.type === 'upload') return upload(operation);
    if (operation.type === 'delete') return remove(operation);
    const at = now();
    quota.expire(at);
    await delayed.sweep(at);
  }

  return {
    /** Without delays. */
    storage,
    uploads,
    quota,
    /** Whether nothing is under way. */
    isIdle: () => underWay === 0 && !isListing,
    begin(operation: Begun) {
      underWay += 1;
      perform(operation)
        .catch((error: unknown) => {
          const isExpected = error instanceof AppError || String(error).includes('cut off');
          if (!isExpected) faults.push(`${operation.type}: ${error}`);
        })
        .finally(() => {
          underWay -= 1;
        });
    },
    async close() {
      await Promise.all([close(), moderation.close()]);
      await storage.close();
      await setImmediate();
    },
  };
}

function* cutOff(bytes: Buffer): Generator<Buffer> {
  yield bytes.subarray(0, bytes.length / 2);
  throw new Error('cut off');
}

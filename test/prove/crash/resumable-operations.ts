import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import path from 'node:path';
import { AppError } from '../../../src/domain/errors.ts';
import { expiryOf, type UploadId } from '../../../src/domain/upload.ts';
import type { Checksum } from '../../../src/uploads/resumable/receive-piece.ts';
import { openDiskStorage } from '../../../src/uploads/storage/disk.ts';
import { filesIn } from '../../support/files.ts';
import { HOUR_MS, sha256 } from '../../support/uploads.ts';
import type { Operation } from './operation.ts';
import { checkFiles, type Job, OWNER, openJob } from './upload-job.ts';

/** Several writes; a piece ends within a block. */
const LENGTH = 300_001;
const PIECES = [100_000, 200_000, LENGTH];
/** Longer than an upload may be continued and its file lives. */
const ALL_EXPIRED_MS = 48 * HOUR_MS;

/** An upload with the bytes that its client has, as plain data. */
interface Sender {
  secret: UploadId;
  content: string;
}

/** What its client was told last: an offset, or that the upload was removed. */
interface Told {
  secret: UploadId;
  offset?: number;
}

async function create({ resumable }: Job, lifetimeMs = HOUR_MS): Promise<Sender> {
  const secret = await resumable.create({
    length: LENGTH,
    owner: OWNER,
    address: OWNER,
    originalname: 'data.bin',
    mimetype: 'application/octet-stream',
    metadata: '',
    lifetimeMs,
  });
  return { secret, content: randomBytes(LENGTH).toString('base64') };
}

/** Sends the bytes from `offset` to `end`. Resolves with the new offset. */
function send(
  { resumable }: Job,
  { secret, content }: Sender,
  [offset, end]: [number, number],
  hasChecksum = false,
): Promise<number> {
  const bytes = Buffer.from(content, 'base64').subarray(offset, end);
  const digest = createHash('sha256').update(bytes).digest();
  const checksum: Checksum | undefined = hasChecksum ? { algorithm: 'sha256', digest } : undefined;
  return resumable.append(secret, offset, async (append) => void (await append(bytes)), checksum);
}

async function createAndSend(job: Job, end: number, lifetimeMs?: number): Promise<Sender> {
  const sender = await create(job, lifetimeMs);
  await send(job, sender, [0, end]);
  return sender;
}

/** An upload from its creation to its publication; the second piece has a checksum. */
export const resumable: Operation = {
  async prepare(folder) {
    const job = await openJob(folder);
    const partial = await createAndSend(job, 100_000);
    const complete = await createAndSend(job, LENGTH);
    const sender = { content: randomBytes(LENGTH).toString('base64') };
    return {
      before: { partial, complete, content: sender.content },
      async run(acknowledge) {
        const { secret } = await create(job);
        acknowledge({ secret, offset: 0 });
        let offset = 0;
        for (const end of PIECES) {
          offset = await send(job, { secret, ...sender }, [offset, end], end === PIECES[1]);
          acknowledge({ secret, offset });
        }
      },
    };
  },
  async check(folder, { before, acknowledged }) {
    const { partial, complete, content } = before as { partial: Sender; complete: Sender; content: string };
    const told = (acknowledged as Told[]).at(-1);
    await checkFiles(folder);
    const job = await openJob(folder);
    await continueAndCheck(job, partial, 100_000);
    await continueAndCheck(job, complete, LENGTH);
    if (told) await continueAndCheck(job, { secret: told.secret, content }, told.offset ?? 0);
    await job.close();
    const ids = await checkFiles(folder);
    // What was not acknowledged may be complete too.
    assert(ids.size >= (told ? 3 : 2), 'a complete upload is no file');
    await checkNothingStays(folder);
  },
};

/** An upload that is removed while it is not complete, and one that is removed when it is. */
export const termination: Operation = {
  async prepare(folder) {
    const job = await openJob(folder);
    const kept = await createAndSend(job, 100_000);
    const removed = [await createAndSend(job, 200_000), await createAndSend(job, LENGTH)];
    return {
      before: { kept, removed },
      async run(acknowledge) {
        for (const { secret } of removed) {
          await job.resumable.remove(secret);
          acknowledge({ secret });
        }
      },
    };
  },
  async check(folder, { before, acknowledged }) {
    const { kept, removed } = before as { kept: Sender; removed: Sender[] };
    await checkFiles(folder);
    const job = await openJob(folder);
    await continueAndCheck(job, kept, 100_000);
    for (const sender of removed) {
      const isAcknowledged = (acknowledged as Told[]).some(({ secret }) => secret === sender.secret);
      if (isAcknowledged) assert(await isRemoved(job, sender), 'the removed upload is back');
      else if (!(await isRemoved(job, sender))) await continueAndCheck(job, sender, 200_000);
    }
    await job.close();
    const ids = await checkFiles(folder);
    if (acknowledged.length === removed.length)
      assert.equal(ids.size, 1, 'the file of a removed upload stays');
    await checkNothingStays(folder);
  },
};

/** A sweep at a time when no upload may be continued: one is not complete, and the file of another still lives. */
export const expiry: Operation = {
  async prepare(folder) {
    const job = await openJob(folder);
    const late = await createAndSend(job, 100_000);
    const complete = await createAndSend(job, LENGTH, 24 * HOUR_MS);
    const storage = await openDiskStorage(path.join(folder, 'uploads'), Date.now);
    return {
      before: { late, complete },
      async run(acknowledge) {
        const expiresAt = expiryOf(late.secret) ?? 0;
        acknowledge(await storage.sweep(expiresAt + 2 * HOUR_MS));
      },
    };
  },
  async check(folder, { before }) {
    const { late, complete } = before as { late: Sender; complete: Sender };
    await checkFiles(folder);
    const job = await openJob(folder);
    if (!(await isRemoved(job, late))) await continueAndCheck(job, late, 100_000);
    await continueAndCheck(job, complete, LENGTH);
    await job.close();
    await checkNothingStays(folder);
  },
};

async function isRemoved({ resumable }: Job, { secret }: Sender): Promise<boolean> {
  try {
    await resumable.progress(secret);
    return false;
  } catch (error) {
    if (error instanceof AppError && ['not-found', 'expired'].includes(error.code)) return true;
    throw error;
  }
}

/** Checks that an upload is at `atLeast` or later, that it can be continued from there, and that its file is whole. */
async function continueAndCheck(job: Job, sender: Sender, atLeast: number): Promise<void> {
  const { resumable } = job;
  const { offset } = await resumable.progress(sender.secret);
  assert(offset >= atLeast, `${atLeast} bytes were acknowledged, and ${offset} are there`);
  if (offset < LENGTH) await send(job, sender, [offset, LENGTH]);
  const { description } = await resumable.result(sender.secret);
  assert.equal(description.sha256, sha256(Buffer.from(sender.content, 'base64')), 'the file is another one');
}

/** Checks that sweeps remove everything in the end. */
async function checkNothingStays(folder: string): Promise<void> {
  const root = path.join(folder, 'uploads');
  const storage = await openDiskStorage(root, Date.now);
  await storage.sweep(Date.now() + ALL_EXPIRED_MS);
  await storage.close();
  assert.deepEqual(await filesIn(root), [], 'a sweep left files');
}

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import type { UploadId } from '../../../src/domain/upload.ts';
import { openDiskStorage } from '../../../src/uploads/storage/disk.ts';
import { HOUR_MS, sha256, streamOf, usageOf } from '../../support/uploads.ts';
import type { Operation } from './operation.ts';
import { checkFiles, type Job, OWNER, openJob } from './upload-job.ts';

/** Several writes, and one that is smaller than a batch. */
const SIZES = [2_500_000, 700];

interface Sent {
  id: UploadId;
  deleteKey: string;
  sha256: string;
}

async function sendFile({ uploads }: Job, size: number, lifeMs = HOUR_MS): Promise<Sent> {
  const bytes = randomBytes(size);
  const receiver = await uploads.receive({ owner: OWNER, address: OWNER }, size);
  try {
    await receiver.stage(streamOf(bytes));
    const claims = { originalname: 'data.bin', encoding: '7bit', mimetype: 'application/octet-stream' };
    const { id, deleteKey } = await receiver.publish(claims, Date.now() + lifeMs);
    return { id, deleteKey, sha256: sha256(bytes) };
  } finally {
    await receiver.close();
  }
}

async function sendAll(job: Job, lifeMs?: number, onSent = (_: Sent) => {}): Promise<Sent[]> {
  const sent: Sent[] = [];
  for (const size of SIZES) {
    const one = await sendFile(job, size, lifeMs);
    onSent(one);
    sent.push(one);
  }
  return sent;
}

export const upload: Operation = {
  async prepare(folder) {
    const job = await openJob(folder);
    const before = await sendAll(job);
    return {
      before,
      async run(acknowledge) {
        await sendAll(job, HOUR_MS, acknowledge);
      },
    };
  },
  async check(folder, { before, acknowledged }) {
    const ids = await checkFiles(folder);
    const sent = [...(before as Sent[]), ...(acknowledged as Sent[])];
    for (const { id } of sent) assert(ids.has(id), `the file ${id} was acknowledged and is gone`);
  },
};

/** The first uploads to a data folder that is empty. */
export const start: Operation = {
  async prepare(folder) {
    // It starts the pool thread.
    await readdir(folder);
    return {
      before: [],
      async run(acknowledge) {
        await sendAll(await openJob(folder), HOUR_MS, acknowledge);
      },
    };
  },
  check: upload.check,
};

export const deletion: Operation = {
  async prepare(folder) {
    const job = await openJob(folder);
    const [kept, removed] = (await sendAll(job)) as [Sent, Sent];
    return {
      before: kept,
      async run(acknowledge) {
        await job.uploads.remove(removed.id, removed.deleteKey);
        acknowledge(removed);
      },
    };
  },
  async check(folder, { before, acknowledged }) {
    const ids = await checkFiles(folder);
    assert(ids.has((before as Sent).id), 'the other file is gone');
    for (const { id } of acknowledged as Sent[]) assert(!ids.has(id), 'the deleted file is back');
  },
};

export const sweep: Operation = {
  async prepare(folder) {
    const job = await openJob(folder);
    const expiring = await sendAll(job, HOUR_MS / 4);
    const kept = await sendAll(job, 5 * HOUR_MS);
    const storage = await openDiskStorage(path.join(folder, 'uploads'), Date.now);
    return {
      before: { expiring, kept },
      async run(acknowledge) {
        acknowledge(await storage.sweep(Date.now() + 2 * HOUR_MS));
      },
    };
  },
  async check(folder, { before }) {
    const { expiring, kept } = before as { expiring: Sent[]; kept: Sent[] };
    await checkFiles(folder);
    const storage = await openDiskStorage(path.join(folder, 'uploads'), Date.now);
    await storage.sweep(Date.now() + 2 * HOUR_MS);
    const ids = new Set((await usageOf(storage)).map(({ id }) => id));
    await storage.close();
    for (const { id } of kept) assert(ids.has(id), `the file ${id} has not expired and is gone`);
    for (const { id } of expiring) assert(!ids.has(id), `the file ${id} has expired and is still there`);
  },
};

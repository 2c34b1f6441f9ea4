import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import type { UploadId } from '../../../src/domain/upload-id.ts';
import { bytesOf, HOUR_MS, sha256, streamOf } from '../../support/uploads.ts';
import type { Operation, Place } from './operation.ts';
import { isBucket, type Job, MB, onUploads, openJob, SENDER } from './uploads.ts';

interface Sent {
  id: UploadId;
  deleteKey: string;
  sha256: string;
}

/** Uploads a file of random bytes, as POST /upload does. */
async function sendFile({ uploads }: Job, size: number, lifeMs = 3 * HOUR_MS): Promise<Sent> {
  const bytes = randomBytes(size);
  const receiver = await uploads.receive(SENDER, size);
  try {
    await receiver.stage(streamOf(bytes));
    const claims = { originalname: 'data.bin', encoding: '7bit', mimetype: 'application/octet-stream' };
    const { id, deleteKey } = await receiver.publish(claims, lifeMs);
    return { id, deleteKey, sha256: sha256(bytes) };
  } finally {
    await receiver.close();
  }
}

/** Of several writes on a disk, or of two parts in a bucket. */
const sendLarge = (job: Job, place: Place, lifeMs?: number) =>
  sendFile(job, isBucket(place) ? 5 * MB + 1_000 : 2_500_000, lifeMs);
/** Smaller than a write, and one object of a bucket. */
const sendSmall = (job: Job, lifeMs?: number) => sendFile(job, 700, lifeMs);

async function sendBoth(job: Job, place: Place, acknowledge: (sent: Sent) => void): Promise<void> {
  acknowledge(await sendLarge(job, place));
  acknowledge(await sendSmall(job));
}

export const upload = onUploads<Sent[]>({
  async prepare(job, place) {
    const before = [await sendSmall(job)];
    return { before, run: (acknowledge) => sendBoth(job, place, acknowledge) };
  },
  async check(_, { before, acknowledged }, visible) {
    for (const { id } of [...before, ...(acknowledged as Sent[])])
      assert(visible.has(id), `the file ${id} was acknowledged and is gone`);
  },
});

/** The first uploads to a data folder that is empty. */
export const start: Operation = {
  async prepare(place) {
    // It starts the pool thread.
    await readdir(place.folder);
    return {
      before: [],
      run: async (acknowledge) => sendBoth(await openJob(place), place, acknowledge),
      end: async () => {},
    };
  },
  check: upload.check,
};

export const deletion = onUploads<Sent>({
  async prepare(job, place) {
    const kept = await sendSmall(job);
    const removed = await sendLarge(job, place);
    return {
      before: kept,
      async run(acknowledge) {
        await job.uploads.remove(removed.id, removed.deleteKey);
        acknowledge(removed);
      },
    };
  },
  async check(_, { before, acknowledged }, visible) {
    assert(visible.has(before.id), 'the other file is gone');
    for (const { id } of acknowledged as Sent[]) assert(!visible.has(id), 'the deleted file is back');
  },
});

export const sweep = onUploads<{ expiring: Sent[]; kept: Sent }>({
  async prepare(job, place) {
    const expiring = [await sendLarge(job, place, HOUR_MS / 4), await sendSmall(job, HOUR_MS / 4)];
    const kept = await sendSmall(job, 5 * HOUR_MS);
    return {
      before: { expiring, kept },
      run: async () => void (await job.storage.sweep(Date.now() + 2 * HOUR_MS)),
    };
  },
  async check({ storage }, { before: { expiring, kept } }) {
    await storage.sweep(Date.now() + 2 * HOUR_MS);
    const isThere = async ({ id }: Sent) => (await storage.open(id)) !== undefined;
    assert(await isThere(kept), 'a file that has not expired is gone');
    for (const one of expiring) assert(!(await isThere(one)), 'a file that has expired is still there');
  },
});

export const download = onUploads<Sent>({
  async prepare(job, place) {
    const sent = await sendLarge(job, place);
    return {
      before: sent,
      async run() {
        const file = await job.uploads.find(sent.id);
        assert.equal(sha256(await bytesOf(await file.read())), sent.sha256, 'wrong bytes were read');
        const part = await bytesOf(await file.read({ start: 5, end: 99 }));
        assert.equal(part.length, 95, 'a range of another length was read');
      },
    };
  },
  async check(_, { before }, visible) {
    assert(visible.has(before.id), 'the file is gone');
  },
});

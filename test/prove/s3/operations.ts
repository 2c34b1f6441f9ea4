import assert from 'node:assert/strict';
import { bytesOf, HOUR_MS, sha256 } from '../../support/uploads.ts';
import { MB, type SentFile, sendFile } from './bucket-job.ts';
import type { BucketOperation } from './operation.ts';
import { resumable } from './resumable-operation.ts';

/** Two parts of a multipart upload, and one object. */
const SIZES = [5 * MB + 1_000, 700];

const upload: BucketOperation = {
  async prepare(job) {
    const sent = [await sendFile(job, 100)];
    return {
      async run() {
        for (const size of SIZES) sent.push(await sendFile(job, size));
      },
      async check(visible) {
        for (const { id } of sent) assert(visible.has(id), `the file ${id} was acknowledged and is gone`);
      },
    };
  },
};

const deletion: BucketOperation = {
  async prepare(job) {
    const kept = await sendFile(job, 700);
    const removed = await sendFile(job, SIZES[0]!);
    let isAcknowledged = false;
    return {
      async run() {
        await job.uploads.remove(removed.id, removed.deleteKey);
        isAcknowledged = true;
      },
      async check(visible) {
        assert(visible.has(kept.id), 'the other file is gone');
        if (isAcknowledged) assert(!visible.has(removed.id), 'the deleted file is back');
      },
    };
  },
};

const sweep: BucketOperation = {
  async prepare(job) {
    const expiring = [await sendFile(job, SIZES[0]!, HOUR_MS / 4), await sendFile(job, 700, HOUR_MS / 4)];
    const kept = await sendFile(job, 700, 5 * HOUR_MS);
    const sweepLater = async () => void (await job.storage.sweep(Date.now() + 2 * HOUR_MS));
    return {
      run: sweepLater,
      async check(_, { storage }) {
        await storage.sweep(Date.now() + 2 * HOUR_MS);
        const isThere = async ({ id }: SentFile) => (await storage.open(id)) !== undefined;
        assert(await isThere(kept), 'a file that has not expired is gone');
        for (const one of expiring) assert(!(await isThere(one)), 'a file that has expired is still there');
      },
    };
  },
};

const download: BucketOperation = {
  async prepare(job) {
    const sent = await sendFile(job, SIZES[0]!);
    return {
      async run() {
        const file = await job.uploads.find(sent.id);
        assert.equal(sha256(await bytesOf(await file.read())), sent.sha256, 'wrong bytes were read');
        const part = await bytesOf(await file.read({ start: 5, end: 99 }));
        assert.equal(part.length, 95, 'a range of another length was read');
      },
      async check(visible) {
        assert(visible.has(sent.id), 'the file is gone');
      },
    };
  },
};

export const OPERATIONS: Record<string, BucketOperation> = { upload, deletion, sweep, download, resumable };

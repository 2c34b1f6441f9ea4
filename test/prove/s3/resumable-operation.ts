import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { AppError } from '../../../src/domain/errors.ts';
import { bytesOf, HOUR_MS, sha256 } from '../../support/uploads.ts';
import { type BucketJob, MB, SENDER } from './bucket-job.ts';
import type { BucketOperation } from './operation.ts';

const SIZE = 6 * MB;
/** Where the pieces end: within the first part, in the second one, and at the end of the file. */
const ENDS = [1_000, 5 * MB + 1_000, SIZE];
const CLAIMS = { originalname: 'data.bin', mimetype: 'application/octet-stream', metadata: '' };
/** As a client of tus: it asks for the offset after each failure. */
const MAX_TRIES = 6;

/** The client sends three pieces; what is acknowledged must not have to be sent again. */
export const resumable: BucketOperation = {
  async prepare(job) {
    const bytes = randomBytes(SIZE);
    const secret = await job.resumable.create({
      ...SENDER,
      ...CLAIMS,
      length: SIZE,
      lifetimeMs: 3 * HOUR_MS,
    });
    let acknowledged = 0;

    async function send({ resumable }: BucketJob, offset: number, end: number): Promise<void> {
      acknowledged = await resumable.append(secret, offset, async (append) => {
        for (let at = offset; at < end; at += 60_000)
          await append(bytes.subarray(at, Math.min(at + 60_000, end)));
      });
    }

    /** Sends what is missing, as a client that asks for the offset after each failure. */
    async function finish(job: BucketJob): Promise<void> {
      for (let tries = 0; tries < MAX_TRIES; tries += 1) {
        const { offset } = await job.resumable.progress(secret);
        assert(offset >= acknowledged, `${acknowledged} bytes were acknowledged, and ${offset} are there`);
        if (offset === SIZE) return;
        await send(job, offset, SIZE).catch((error: unknown) => {
          if (!(error instanceof AppError)) throw error;
        });
      }
      assert.fail('the upload cannot be finished');
    }

    return {
      async run() {
        for (const [index, end] of ENDS.entries()) await send(job, ENDS[index - 1] ?? 0, end);
      },
      async check(_, job) {
        await finish(job);
        const { id } = await job.resumable.result(secret);
        const file = await job.uploads.find(id);
        assert.equal(sha256(await bytesOf(await file.read())), sha256(bytes), 'the file has other bytes');
      },
    };
  },
};

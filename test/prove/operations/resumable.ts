import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../../../src/domain/errors.ts';
import { expiryOf, type UploadId } from '../../../src/domain/upload-id.ts';
import { bytesOf, HOUR_MS, sha256 } from '../../support/uploads.ts';
import type { Place } from './operation.ts';
import { isBucket, type Job, MB, onUploads, SENDER } from './uploads.ts';

/** On a disk, several writes, and a piece that ends within a block. */
const PIECES = [100_000, 200_000, 300_001];
/** In a bucket, pieces that end within the first part, within the second one, and with the file. */
const BUCKET_PIECES = [1_000, 5 * MB + 1_000, 6 * MB];
const CLAIMS = { originalname: 'data.bin', mimetype: 'application/octet-stream', metadata: '' };
const CHUNK_BYTES = 60_000;
/** A client asks for the offset after each failure. */
const MAX_TRIES = 6;
/** While another request is writing, a client waits this long before it asks again. */
const LOCKED_MS = 1_000;
const MAX_ASKED = 30;

/** An upload with the bytes that its client has, and the offset that it was told, as plain data. */
interface Sender {
  secret: UploadId;
  content: string;
  told: number;
}

const lengthOf = (content: string) => Buffer.from(content, 'base64').length;

/** Creates an upload, and sends its bytes up to `end`. */
async function createAndSend(job: Job, end: number, lifetimeMs = HOUR_MS): Promise<Sender> {
  const sender = await create(job, randomBytes(PIECES[2]!).toString('base64'), lifetimeMs);
  return { ...sender, told: await send(job, sender, 0, end) };
}

async function create({ resumable }: Job, content: string, lifetimeMs = HOUR_MS): Promise<Sender> {
  const secret = await resumable.create({ ...SENDER, ...CLAIMS, length: lengthOf(content), lifetimeMs });
  return { secret, content, told: 0 };
}

/** Sends the bytes from `offset` to `end`. Resolves with the new offset. */
function send(
  { resumable }: Job,
  { secret, content }: Sender,
  offset: number,
  end: number,
  hasChecksum = false,
): Promise<number> {
  const bytes = Buffer.from(content, 'base64').subarray(offset, end);
  const digest = createHash('sha256').update(bytes).digest();
  const checksum = hasChecksum ? ({ algorithm: 'sha256', digest } as const) : undefined;
  async function* body() {
    for (let at = 0; at < bytes.length; at += CHUNK_BYTES) yield bytes.subarray(at, at + CHUNK_BYTES);
  }
  return resumable.append(secret, offset, body, checksum);
}

/** An upload from its creation to its publication; the second piece has a checksum. */
export const resumable = onUploads<{ others: Sender[]; content: string }>({
  async prepare(job, place) {
    const ends = isBucket(place) ? [] : [PIECES[0]!, PIECES[2]!];
    const others: Sender[] = [];
    for (const end of ends) others.push(await createAndSend(job, end));
    const pieces = piecesFor(place);
    const content = randomBytes(pieces.at(-1)!).toString('base64');
    return {
      before: { others, content },
      async run(acknowledge) {
        const sender = await create(job, content);
        acknowledge({ secret: sender.secret, told: 0 });
        let told = 0;
        for (const end of pieces) {
          told = await send(job, sender, told, end, end === pieces[1]);
          acknowledge({ secret: sender.secret, told });
        }
      },
    };
  },
  async check(job, { before: { others, content }, acknowledged }) {
    const told = (acknowledged as Omit<Sender, 'content'>[]).at(-1);
    for (const sender of [...others, ...(told ? [{ ...told, content }] : [])]) await finish(job, sender);
  },
});

const piecesFor = (place: Place) => (isBucket(place) ? BUCKET_PIECES : PIECES);

/** An upload that is removed while it is not complete, and one that is removed when it is. */
export const termination = onUploads<{ kept: Sender; removed: Sender[] }>({
  async prepare(job) {
    const kept = await createAndSend(job, PIECES[0]!);
    const removed = [await createAndSend(job, PIECES[1]!), await createAndSend(job, PIECES[2]!)];
    return {
      before: { kept, removed },
      async run(acknowledge) {
        for (const { secret } of removed) {
          await job.resumable.remove(secret);
          acknowledge(secret);
        }
      },
    };
  },
  async check(job, { before: { kept, removed }, acknowledged }, visible) {
    await finish(job, kept);
    for (const sender of removed) {
      const isGone = await isRemoved(job, sender);
      if (acknowledged.includes(sender.secret)) assert(isGone, 'the removed upload is back');
      else if (!isGone) await finish(job, sender);
    }
    if (acknowledged.length === removed.length)
      assert.equal(visible.size, 0, 'the file of a removed upload stays');
  },
});

/** A sweep at a time when no upload may be continued: one is not complete, and the file of another still lives. */
export const expiry = onUploads<{ late: Sender; complete: Sender }>({
  async prepare(job) {
    const late = await createAndSend(job, PIECES[0]!);
    const complete = await createAndSend(job, PIECES[2]!, 24 * HOUR_MS);
    return {
      before: { late, complete },
      run: async () => void (await job.storage.sweep(expiryOf(late.secret) + 2 * HOUR_MS)),
    };
  },
  async check(job, { before: { late, complete } }) {
    if (!(await isRemoved(job, late))) await finish(job, late);
    await finish(job, complete);
  },
});

async function isRemoved({ resumable }: Job, { secret }: Sender): Promise<boolean> {
  try {
    await resumable.progress(secret);
    return false;
  } catch (error) {
    if (error instanceof AppError && ['not-found', 'expired'].includes(error.code)) return true;
    throw error;
  }
}

/** Checks that an upload is where its client was told or later, that it can be finished, and that its file is whole. */
async function finish(job: Job, sender: Sender): Promise<void> {
  const length = lengthOf(sender.content);
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const { offset } = await progressOf(job, sender);
    assert(offset >= sender.told, `${sender.told} bytes were acknowledged, and ${offset} are there`);
    if (offset === length) return checkFile(job, sender);
    await send(job, sender, offset, length).catch((error: unknown) => {
      if (!(error instanceof AppError)) throw error;
    });
  }
  assert.fail('the upload cannot be finished');
}

/** The progress of an upload. While the writer of a process that has died still counts as writing, it is asked for again. */
async function progressOf(job: Job, { secret }: Sender): ReturnType<Job['resumable']['progress']> {
  for (let asked = 1; ; asked += 1) {
    try {
      return await job.resumable.progress(secret);
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'locked') || asked === MAX_ASKED) throw error;
      await sleep(LOCKED_MS);
    }
  }
}

async function checkFile({ resumable, uploads }: Job, { secret, content }: Sender): Promise<void> {
  const { id } = await resumable.result(secret);
  const bytes = await bytesOf(await (await uploads.find(id)).read());
  assert.equal(sha256(bytes), sha256(Buffer.from(content, 'base64')), 'the file has other bytes');
}

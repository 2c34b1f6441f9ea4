import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { addAbortSignal } from 'node:stream';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openS3Storage } from '../../../src/uploads/storage/s3.ts';
import { resumableContract } from '../../contracts/resumable-storage.ts';
import { s3ResumableContract } from '../../contracts/s3-resumable.ts';
import { storageContract } from '../../contracts/storage.ts';
import { runScript } from '../../support/run-script.ts';
import { S3_KEY } from '../../support/s3.ts';
import { useFakeBucket } from '../../support/s3-storage.ts';
import {
  bytesOf,
  describeUpload,
  HOUR_MS,
  keep,
  newId,
  sha256,
  streamOf,
  unfinishedStream,
  usageOf,
} from '../../support/uploads.ts';

const MB = 1024 * 1024;
const bucket = useFakeBucket();

storageContract('a bucket', (clock) => openS3Storage(bucket.s3.url(), clock));

const openSame = (clock: () => number) => openS3Storage(bucket.url, clock);
resumableContract('a bucket', openSame);
s3ResumableContract(
  'a bucket',
  () => openSame(Date.now),
  async () => bucket.keys().length,
);

describe('a bucket', () => {
  const { open, keys: kept } = bucket;
  const soon = () => Date.now() + HOUR_MS;
  /** The requests to S3, without the bucket, the prefix and random names. */
  const asked = () =>
    bucket.s3.requests.map((request) =>
      request.replace(/uploads\/?(?:[\w-]{36}\/)?/u, '').replace(/\/.*/u, '/…'),
    );

  test('stores an upload as bytes, summary and description, the last two under the hour of its expiry', async () => {
    const storage = await open();
    const expiresAt = soon();
    const id = await keep(storage, randomBytes(2 * MB), expiresAt, {
      owner: '2001:db8::/64',
      uploadedAt: 36,
    });
    const hour = new Date(expiresAt).toISOString().slice(0, 13);
    expect(asked()).toEqual(['PUT '.concat(hour, '/…'), 'PUT bytes/…', 'PUT '.concat(hour, '/…')]);
    const [description, note, bytes] = kept();
    expect(description).toBe(`${hour}/${id}`);
    expect(note).toMatch(
      new RegExp(`^${hour}/${id}\\.10\\.\\w+\\.MjAwMTpkYjg6Oi82NA\\.[0-9a-f]{16}\\.1$`, 'u'),
    );
    expect(bytes).toMatch(/^bytes\/[0-9a-f]{16}\.1$/u);
    expect(await storage.remove(id)).toBe(true);
    expect(kept()).toEqual([]);
  });

  test('stores a large upload in parts, which are invisible before it is published', async () => {
    const storage = await open();
    const bytes = randomBytes(12 * MB);
    const staged = await storage.stage(streamOf(bytes));
    await expect.poll(() => bucket.s3.unfinished()).toHaveLength(1);
    expect(kept()).toEqual([expect.stringMatching(/^alive\//u)]);
    const id = newId(soon());
    await staged.publish(id, describeUpload(staged));
    expect(asked().filter((request) => request === 'PUT bytes/…')).toHaveLength(3);
    expect(bucket.s3.unfinished()).toEqual([]);
    const file = await storage.open(id);
    expect(sha256(await bytesOf(await file!.read()))).toBe(sha256(bytes));
    const across = { start: 5 * MB - 1, end: 5 * MB };
    expect((await bytesOf(await file!.read(across))).equals(bytes.subarray(5 * MB - 1, 5 * MB + 1))).toBe(
      true,
    );
  });

  test('stages 60 MB with the memory of two parts', async () => {
    bucket.s3.fault = async (ctx) => {
      if (ctx.query.partNumber === undefined) return false;
      for await (const _ of ctx.req);
      ctx.set('ETag', '"x"');
      ctx.status = 200;
      return true;
    };
    const script = `
      import { Readable } from 'node:stream';
      import { openS3Storage } from 'src/uploads/storage/s3.ts';
      const storage = await openS3Storage(process.argv[1], Date.now);
      const piece = Buffer.alloc(64 * 1024, 7);
      let most = 0;
      const staged = await storage.stage(Readable.from((function* () {
        for (let sent = 0; sent < 60 * 1024 * 1024; sent += piece.length) {
          most = Math.max(most, process.memoryUsage().arrayBuffers);
          yield piece;
        }
      })()));
      await staged.discard();
      await storage.close();
      console.log(JSON.stringify({ size: staged.size, most }));`;
    const { output } = runScript(script, [bucket.url], onTestFinished, S3_KEY);
    const { size, most } = JSON.parse(await output);
    expect(size).toBe(60 * MB);
    expect(most).toBeLessThan(14 * MB);
    expect(bucket.s3.unfinished()).toEqual([]);
  });

  test('has no objects or parts after failed uploads of any kind', async () => {
    const storage = await open();
    const failures = [0, 6 * MB, 11 * MB].map((size) => [
      storage.stage(unfinishedStream(size, new Error('cut off'))),
      storage.stage(streamOf(randomBytes(size + 1)), { maxBytes: size }),
      storage.stage(addAbortSignal(AbortSignal.timeout(300), unfinishedStream(size))),
    ]);
    const outcomes = await Promise.allSettled(failures.flat());
    expect(new Set(outcomes.map(({ status }) => status))).toEqual(new Set(['rejected']));
    const late = await storage.stage(streamOf(randomBytes(6 * MB)));
    await expect(late.publish(newId(Date.now()), describeUpload(late))).rejects.toMatchObject({
      code: 'expired',
    });
    expect(bucket.s3.unfinished()).toEqual([]);
    await storage.close();
    expect(kept()).toEqual([]);
  });

  test.each([1, 6 * MB])('keeps nothing of %i bytes when it refuses the description', async (size) => {
    const storage = await open();
    bucket.s3.fault = (ctx) => {
      if (ctx.method !== 'PUT' || !/T\d\d\/[^.]*$/u.test(ctx.path)) return false;
      ctx.status = 400;
      return true;
    };
    await expect(keep(storage, randomBytes(size), soon())).rejects.toMatchObject({ code: 'storage-down' });
    expect(bucket.s3.unfinished()).toEqual([]);
    await storage.close();
    expect(kept()).toEqual([]);
  });

  test('gets only listings when the usage is counted', async () => {
    const storage = await open();
    const ids: string[] = [];
    for (let i = 0; i < 5; i += 1) ids.push(await keep(storage, randomBytes(i), soon() + i * HOUR_MS));
    addFiles(1_200, soon());
    bucket.s3.requests.length = 0;
    const usage = await usageOf(storage);
    expect(usage).toHaveLength(1_205);
    expect(usage.map(({ id }) => id)).toEqual(expect.arrayContaining(ids));
    expect(new Set(asked())).toEqual(new Set(['GET ']));
    expect(asked()).toHaveLength(1 + 5 + 2);
  });

  /** Adds files to the memory of the server. */
  function addFiles(count: number, expiresAt: number): void {
    const prefix = new URL(bucket.url).searchParams.get('prefix');
    const hour = new Date(expiresAt).toISOString().slice(0, 13);
    const empty = { bytes: Buffer.alloc(0), etag: '"x"', modified: new Date() };
    for (let i = 0; i < count; i += 1) {
      const description = `${prefix}/${hour}/${newId(expiresAt)}`;
      const name = `${expiresAt}.${i}`;
      for (const key of [description, `${description}.1.1.YQ.${name}`, `${prefix}/bytes/${name}`])
        bucket.s3.memory.objects.set(key, empty);
    }
  }

  test('is swept by listing past hours, without listing future hours', async () => {
    const storage = await open();
    const now = Date.parse('2026-08-15T21:30:00Z');
    addFiles(1_200, now - HOUR_MS);
    const prefix = new URL(bucket.url).searchParams.get('prefix');
    bucket.s3.memory.objects.set(`${prefix}/2026-08-15T20/stray`, [...bucket.s3.memory.objects.values()][0]!);
    expect(await storage.sweep(now)).toMatchObject({ files: 1_200, stagedUploads: 0 });
    expect(kept()).toEqual([]);

    addFiles(3, now + HOUR_MS);
    addFiles(3, now + 1);
    bucket.s3.requests.length = 0;
    expect(await storage.sweep(now)).toMatchObject({ files: 0, stagedUploads: 0 });
    // Removals, the folders, the current hour, heartbeats, multipart uploads and resumable uploads.
    expect(asked()).toEqual(['GET ', 'GET ', 'GET ', 'GET ', 'GET ', 'GET ']);
    expect(await storage.sweep(now + 1)).toMatchObject({ files: 3, stagedUploads: 0 });
    expect(kept()).toHaveLength(9);
  });

  test('loses in a sweep the bytes of a process that died before it wrote their description', async () => {
    const storage = await open();
    const expiresAt = Date.parse('2026-08-15T21:30:00Z');
    addFiles(1, expiresAt);
    bucket.s3.memory.objects.delete(bucket.s3.keys()[0]!);
    expect(await usageOf(storage)).toEqual([]);
    expect(await storage.sweep(expiresAt)).toMatchObject({ files: 0, stagedUploads: 0 });
    expect(kept()).toEqual([]);
  });

  test('that closes the connection is read from the same position again', async () => {
    const storage = await open();
    const bytes = randomBytes(3 * MB);
    const file = await storage.open(await keep(storage, bytes, soon()));
    let cuts = 3;
    bucket.s3.fault = ({ res }) => {
      if (cuts > 0) cutAfter(MB / 2, res);
      cuts -= 1;
      return false;
    };
    expect((await bytesOf(await file!.read())).equals(bytes)).toBe(true);
    expect(cuts).toBe(-1);
  });

  /** Closes the connection after some bytes. */
  function cutAfter(bytes: number, response: ServerResponse): void {
    let sent = 0;
    const { write } = response;
    response.write = ((chunk: Buffer, ...rest: []) => {
      sent += chunk.length;
      if (sent > bytes) response.destroy();
      return Reflect.apply(write, response, [chunk, ...rest]);
    }) as never;
  }

  test('gets its connection closed when a download is aborted', async () => {
    const storage = await open();
    const file = await storage.open(await keep(storage, randomBytes(12 * MB), soon()));
    let isGone = false;
    bucket.s3.fault = (ctx) => {
      ctx.res.on('close', () => {
        isGone = true;
      });
      return false;
    };
    for await (const _ of await file!.read()) break;
    await expect.poll(() => isGone).toBe(true);
  });
});

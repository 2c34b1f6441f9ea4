import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { addAbortSignal } from 'node:stream';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { occupiedBytes } from '../../../src/domain/disk-usage.ts';
import { openS3Storage } from '../../../src/uploads/storage/s3.ts';
import type { Chunks } from '../../../src/uploads/storage.ts';
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

storageContract('a bucket', () => openS3Storage(bucket.s3.url()));

const openSame = () => openS3Storage(bucket.url);
resumableContract('a bucket', openSame);
s3ResumableContract('a bucket', openSame, async () => bucket.keys().length);

describe('a bucket', () => {
  const { open, keys: kept } = bucket;
  const soon = () => Date.now() + HOUR_MS;
  /** The requests to S3, without the bucket, the prefix and random names. */
  const asked = () =>
    bucket.s3.requests.map((request) =>
      request.replace(/uploads\/?(?:[\w-]{36}\/)?/u, '').replace(/\/.*/u, '/…'),
    );

  const hourOf = (expiresAt: number) => new Date(expiresAt).toISOString().slice(0, 13);

  test('stores a small upload in two requests, as description with bytes and summary under the hour of its expiry', async () => {
    const storage = await open();
    const expiresAt = soon();
    const hour = hourOf(expiresAt);
    const id = await keep(storage, randomBytes(1000), expiresAt, { owner: '2001:db8::/64', uploadedAt: 36 });
    expect(asked()).toEqual([`PUT ${hour}/…`, `PUT ${hour}/…`]);
    expect(kept()).toEqual([`${hour}/${id}`, `${hour}/${id}.10.${(4160).toString(36)}.MjAwMTpkYjg6Oi82NA`]);
    bucket.s3.requests.length = 0;
    await (await storage.open(id))!.read();
    expect(asked()).toEqual([`GET ${hour}/…`]);
    expect(await storage.remove(id)).toBe(true);
    expect(kept()).toEqual([]);
  });

  test('stores the bytes of a larger upload as an object of their own, with a note until it is visible', async () => {
    const storage = await open();
    const expiresAt = soon();
    const hour = hourOf(expiresAt);
    const id = await keep(storage, randomBytes(2 * MB), expiresAt);
    const [heartbeat, note, ...rest] = asked();
    expect([heartbeat, note]).toEqual(['PUT alive/…', 'PUT removing/…']);
    expect(rest.slice(0, 2).sort()).toEqual([`PUT ${hour}/…`, 'PUT bytes/…']);
    expect(rest.slice(2)).toEqual([`PUT ${hour}/…`, 'DELETE removing/…']);
    const [description, summary, bytes] = kept();
    expect([description, bytes]).toEqual([
      `${hour}/${id}`,
      expect.stringMatching(/^bytes\/[0-9a-f]{16}\.1$/u),
    ]);
    expect(summary).toMatch(/\.[0-9a-f]{16}\.1$/u);
    expect(await storage.remove(id)).toBe(true);
    expect(kept()).toEqual([]);
  });

  test('has the files of an earlier version, which were three objects each', async () => {
    const storage = await open();
    const expiresAt = soon();
    const bytes = randomBytes(100_000);
    const ids = [newId(expiresAt), newId(expiresAt)];
    const owner = Buffer.from('203.0.113.7').toString('base64url');
    for (const [index, id] of ids.entries()) {
      const description = describeUpload({ size: bytes.length, sha256: sha256(bytes) }, { expiresAt });
      const place = `${hourOf(expiresAt)}/${id}`;
      const manifest = { bytes: `bytes/${'a'.repeat(16)}.${index}`, description };
      addObject(place, Buffer.from(JSON.stringify(manifest)));
      const [uploadedAt, size] = [description.uploadedAt, occupiedBytes(description)].map((n) =>
        n.toString(36),
      );
      addObject(`${place}.${uploadedAt}.${size}.${owner}.${'a'.repeat(16)}.${index}`, Buffer.alloc(0));
      addObject(manifest.bytes, bytes);
    }
    const file = await storage.open(ids[0]!);
    expect((await bytesOf(await file!.read())).equals(bytes)).toBe(true);
    expect(await bytesOf(await file!.read({ start: 7, end: 9 }))).toEqual(bytes.subarray(7, 10));
    expect(await usageOf(storage)).toHaveLength(2);
    await storage.sweep(Date.now());
    expect(await storage.remove(ids[0]!)).toBe(true);
    expect(kept()).toHaveLength(3);
    await storage.sweep(expiresAt);
    expect(kept()).toEqual([]);
  });

  /** Adds an object to the memory of the server. */
  function addObject(key: string, bytes: Buffer): void {
    const prefix = new URL(bucket.url).searchParams.get('prefix');
    bucket.s3.memory.objects.set(`${prefix}/${key}`, { bytes, etag: '"x"', modified: new Date() });
  }

  test('stores a large upload in parts, which are invisible before it is published', async () => {
    const storage = await open();
    const bytes = randomBytes(12 * MB);
    const staged = await storage.stage(streamOf(bytes));
    await expect.poll(() => bucket.s3.unfinished()).toHaveLength(1);
    expect(kept()).toEqual([]);
    const id = newId(soon());
    await staged.publish(id, describeUpload(staged));
    expect(asked().filter((request) => request === 'PUT bytes/…')).toHaveLength(3);
    expect(bucket.s3.unfinished()).toEqual([]);
    const file = await storage.open(id);
    expect(sha256(await bytesOf(await file!.read()))).toBe(sha256(bytes));
  });

  test('stages 40 MB with the memory of two parts', async () => {
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
      const storage = await openS3Storage(process.argv[1]);
      const piece = Buffer.alloc(64 * 1024, 7);
      let most = 0;
      const staged = await storage.stage(Readable.from((function* () {
        for (let sent = 0; sent < 40 * 1024 * 1024; sent += piece.length) {
          most = Math.max(most, process.memoryUsage().arrayBuffers);
          yield piece;
        }
      })()));
      await staged.discard();
      await storage.close();
      console.log(JSON.stringify({ size: staged.size, most }));`;
    const { output } = runScript(script, [bucket.url], onTestFinished, S3_KEY);
    const { size, most } = JSON.parse(await output);
    expect(size).toBe(40 * MB);
    expect(most).toBeLessThan(14 * MB);
    expect(bucket.s3.unfinished()).toEqual([]);
  });

  test('has no objects or parts after failed uploads of any kind', async () => {
    const storage = await open();
    const failures = [0, 6 * MB, 11 * MB].map((size) => [
      storage.stage(unfinishedStream(size, new Error('cut off'))),
      storage.stage(streamOf(randomBytes(size + 1)), size),
      storage.stage(addAbortSignal(AbortSignal.timeout(300), unfinishedStream(size))),
    ]);
    const outcomes = await Promise.allSettled(failures.flat());
    expect(new Set(outcomes.map(({ status }) => status))).toEqual(new Set(['rejected']));
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
    for (let i = 0; i < count; i += 1) {
      const description = `${hourOf(expiresAt)}/${newId(expiresAt)}`;
      const name = `${expiresAt}.${i}`;
      for (const key of [description, `${description}.1.1.YQ.${name}`, `bytes/${name}`])
        addObject(key, Buffer.alloc(0));
    }
  }

  test('is swept by listing past hours, without listing future hours', async () => {
    const storage = await open();
    const now = Date.parse('2026-08-15T21:30:00Z');
    // Two objects each in their hour, which are more than one listing has.
    addFiles(510, now - HOUR_MS);
    addObject('2026-08-15T20/stray', Buffer.alloc(0));
    expect(await storage.sweep(now)).toMatchObject({ files: 510, stagedUploads: 0 });
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

  test('is read in one request, however long its reader takes', async () => {
    const storage = await open();
    const file = await storage.open(await keep(storage, randomBytes(12 * MB), soon()));
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    bucket.s3.requests.length = 0;
    let read = 0;
    for await (const chunk of (await file!.read()) as Chunks) {
      read += chunk.length;
      vi.advanceTimersByTime(20_000);
    }
    expect([read, asked()]).toEqual([12 * MB, ['GET bytes/…']]);
  });

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

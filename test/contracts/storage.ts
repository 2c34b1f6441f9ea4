import { randomBytes } from 'node:crypto';
import { addAbortSignal, PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { UploadId } from '../../src/domain/upload-id.ts';
import type { Storage } from '../../src/uploads/storage.ts';
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
} from '../support/uploads.ts';
import { moderationContract } from './moderation-storage.ts';

const NOW = Date.parse('2026-08-15T21:30:00Z');
const KB = 1024;
const MB = 1024 * KB;

/** The tests that every storage must pass, with those of `moderation-storage.ts`. `open` opens an empty one. */
export function storageContract(name: string, open: () => Promise<Storage>): void {
  describe(`${name}, as any storage`, () => {
    let storage: Storage;

    beforeEach(async () => {
      storage = await open();
    });

    afterEach(() => storage.close());

    async function idsInUse(): Promise<string[]> {
      return (await usageOf(storage)).map(({ id }) => id).sort();
    }

    async function read(id: UploadId, range?: { start: number; end: number }): Promise<Buffer> {
      return bytesOf(await (await storage.open(id))!.read(range));
    }

    describe('a staged upload', () => {
      test('has a size, a checksum and its first bytes before it is visible', async () => {
        const bytes = randomBytes(200 * KB);
        const staged = await storage.stage(streamOf(bytes, 999));
        expect(staged).toMatchObject({ size: bytes.length, sha256: sha256(bytes) });
        expect(staged.head.equals(bytes.subarray(0, 4100))).toBe(true);
        expect(await idsInUse()).toEqual([]);
        await staged.discard();
      });

      test.each([0, 1, 600 * KB, 7 * MB])('of %i bytes can be read before it is published', async (size) => {
        const bytes = randomBytes(size);
        const staged = await storage.stage(streamOf(bytes));
        expect((await bytesOf(staged.read())).equals(bytes)).toBe(true);
        const id = newId(NOW + HOUR_MS);
        await staged.publish(id, describeUpload(staged));
        expect((await read(id)).equals(bytes)).toBe(true);
      });

      test('is removed when it is discarded, and can be discarded again', async () => {
        const staged = await storage.stage(streamOf(randomBytes(MB)));
        await staged.discard();
        await staged.discard();
        await expect(staged.publish(newId(NOW + HOUR_MS), describeUpload(staged))).rejects.toThrow();
        expect(await idsInUse()).toEqual([]);
      });

      test.each([1, 2 * MB])('of %i bytes that was published is not removed by a discard', async (size) => {
        const bytes = randomBytes(size);
        const staged = await storage.stage(streamOf(bytes));
        const id = newId(NOW + HOUR_MS);
        await staged.publish(id, describeUpload(staged));
        await staged.discard();
        expect((await read(id)).equals(bytes)).toBe(true);
      });

      test.each([1, 2 * MB])('of %i bytes that may not become visible is discarded', async (size) => {
        const staged = await storage.stage(streamOf(randomBytes(size)));
        const id = newId(NOW + HOUR_MS);
        const refuse = () => {
          throw new Error('too late');
        };
        await expect(staged.publish(id, describeUpload(staged), refuse)).rejects.toThrow('too late');
        expect(await storage.open(id)).toBeUndefined();
        expect(await idsInUse()).toEqual([]);
      });
    });

    describe('staging', () => {
      test('accepts exactly the maximum size', async () => {
        const staged = await storage.stage(streamOf(randomBytes(MB)), MB);
        expect(staged.size).toBe(MB);
        await staged.discard();
      });

      test('fails one byte above the maximum, and destroys the stream', async () => {
        const stream = streamOf(randomBytes(MB + 1));
        await expect(storage.stage(stream, MB)).rejects.toMatchObject({ code: 'too-large' });
        expect(stream.destroyed).toBe(true);
      });

      test.each([0, MB])('rejects with the error of a stream that fails after %i bytes', async (size) => {
        const stream = unfinishedStream(size, new Error('cut off'));
        await expect(storage.stage(stream)).rejects.toThrow('cut off');
      });

      test.each([0, 2 * MB])(
        'of a sender silent after %i bytes ends when its stream is destroyed',
        async (size) => {
          const abort = new AbortController();
          const stream = unfinishedStream(size);
          const staged = storage.stage(addAbortSignal(abort.signal, stream));
          setTimeout(() => abort.abort(), 20);
          await expect(staged).rejects.toMatchObject({ name: 'AbortError' });
          expect(stream.destroyed).toBe(true);
        },
      );

      test('does not begin when its sender has already been stopped', async () => {
        const staged = storage.stage(addAbortSignal(AbortSignal.abort(), new PassThrough()));
        await expect(staged).rejects.toMatchObject({ name: 'AbortError' });
      });
    });

    describe('a file', () => {
      const SIZES = [0, 1, KB, 63 * KB, 64 * KB - 1, 64 * KB, 64 * KB + 1, 576 * KB, MB, MB + 1, 5 * MB + 7];

      test.each(SIZES)('of %i bytes is read back unchanged, with its description', async (size) => {
        const bytes = randomBytes(size);
        const staged = await storage.stage(streamOf(bytes));
        const id = newId(NOW + HOUR_MS);
        await staged.publish(id, describeUpload(staged));
        const file = await storage.open(id);
        expect(file?.description).toEqual(describeUpload({ size, sha256: sha256(bytes) }));
        expect((await bytesOf(await file!.read())).equals(bytes)).toBe(true);
      });

      test.each(['„Foto" \\ 写真 🌸.png', '\n'.repeat(60 * KB)])(
        'keeps the name %j',
        async (originalname) => {
          const id = await keep(storage, randomBytes(10), NOW + HOUR_MS, { originalname });
          expect((await storage.open(id))?.description.originalname).toBe(originalname);
          expect(await idsInUse()).toEqual([id]);
        },
      );

      test.each([KB, 300 * KB, 3 * MB])('of %i bytes is read by ranges', async (size) => {
        const bytes = randomBytes(size);
        const id = await keep(storage, bytes, NOW + HOUR_MS);
        for (const [start, end] of [
          [0, 0],
          [0, size - 1],
          [1, size - 2],
          [size - 1, size - 1],
          [7, 500],
        ] as const) {
          expect((await read(id, { start, end })).equals(bytes.subarray(start, end + 1))).toBe(true);
        }
      });

      const mark = { reason: 'legal', removedAt: NOW, sha256: 'ab'.repeat(32) } as const;
      test.each([[], [mark]])(
        'can be read to its end when it is removed during the download',
        async (...as) => {
          const bytes = randomBytes(4 * MB);
          const id = await keep(storage, bytes, NOW + HOUR_MS);
          const body = await (await storage.open(id))!.read();
          expect(Buffer.isBuffer(body)).toBe(false);
          expect(await storage.remove(id, ...as)).toBe(true);
          expect((await bytesOf(body)).equals(bytes)).toBe(true);
        },
      );

      test('that is removed between open and read is not found', async () => {
        const id = await keep(storage, randomBytes(4 * MB), NOW + HOUR_MS);
        const file = await storage.open(id);
        await storage.remove(id);
        await expect(file!.read()).rejects.toMatchObject({ code: 'not-found' });
      });

      test('is removed once, and removing a missing file succeeds', async () => {
        const id = await keep(storage, randomBytes(10), NOW + HOUR_MS);
        expect(await storage.remove(id)).toBe(true);
        expect(await storage.remove(id)).toBe(false);
        expect(await storage.remove(newId(NOW + HOUR_MS))).toBe(false);
        expect(await storage.open(id)).toBeUndefined();
      });
    });

    test('sixteen concurrent uploads are stored correctly', async () => {
      const uploads = Array.from({ length: 16 }, (_, i) => randomBytes(i * 100_000));
      const ids = await Promise.all(uploads.map((bytes) => keep(storage, bytes, NOW + HOUR_MS)));
      const kept = await Promise.all(ids.map((id) => read(id)));
      expect(kept.map(sha256)).toEqual(uploads.map(sha256));
    });

    test('usage lists every file with its owner and the bytes it occupies', async () => {
      const first = await keep(storage, randomBytes(10), NOW + HOUR_MS, { owner: 'a', uploadedAt: 1 });
      const second = await keep(storage, randomBytes(MB), NOW + 30 * HOUR_MS, { owner: 'b', uploadedAt: 2 });
      const usage = await usageOf(storage);
      expect(usage).toHaveLength(2);
      expect(usage).toContainEqual(
        expect.objectContaining({ id: first, owner: 'a', size: 4 * KB + 64, uploadedAt: 1 }),
      );
      expect(usage).toContainEqual(
        expect.objectContaining({ id: second, owner: 'b', size: MB + 4 * KB + 64, uploadedAt: 2 }),
      );
    });

    test('a sweep removes exactly the expired files, from the millisecond of their expiry', async () => {
      const lives = [1, 60_000, 60_001, HOUR_MS, 24 * HOUR_MS];
      const ids: string[] = [];
      for (const life of lives) ids.push(await keep(storage, randomBytes(100), NOW + life));
      expect(await storage.sweep(NOW)).toMatchObject({ files: 0, stagedUploads: 0 });
      expect(await storage.sweep(NOW + 60_000)).toMatchObject({ files: 2, stagedUploads: 0 });
      expect(await idsInUse()).toEqual(ids.slice(2).sort());
      expect(await storage.sweep(NOW + 23 * HOUR_MS)).toMatchObject({ files: 2, stagedUploads: 0 });
      expect(await idsInUse()).toEqual(ids.slice(4));
    });

    test('a sweep keeps the staged uploads of a running process', async () => {
      const bytes = randomBytes(MB);
      const staged = await storage.stage(streamOf(bytes));
      await storage.sweep(NOW + HOUR_MS);
      const id = newId(NOW + 2 * HOUR_MS);
      await staged.publish(id, describeUpload(staged));
      expect((await read(id)).equals(bytes)).toBe(true);
    });

    test('returns the free space', async () => {
      const { bytes, files } = await storage.free();
      expect(Math.min(bytes, files)).toBeGreaterThan(0);
    });
  });
  moderationContract(name, open);
}

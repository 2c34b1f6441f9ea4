import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { resumableBytes } from '../../src/domain/disk-usage.ts';
import type { UploadId } from '../../src/domain/upload-id.ts';
import type { Announcement } from '../../src/uploads/resumable/resumable-storage.ts';
import type { Storage } from '../../src/uploads/storage.ts';
import { bytesOf, describeUpload, HOUR_MS, newId, sha256 } from '../support/uploads.ts';

const NOW = Date.parse('2026-08-15T21:30:00Z');
const MB = 1024 * 1024;
const MINUTE_MS = 60_000;

/** What is announced of an upload of so many bytes. */
export function announce(length: number): Announcement {
  return {
    length,
    owner: '203.0.113.7',
    address: '203.0.113.7',
    originalname: 'foto.png',
    mimetype: 'image/png',
    metadata: 'filename Zm90by5wbmc=',
    lifetimeMs: HOUR_MS,
    createdAt: NOW,
  };
}

/** The tests of resumable uploads that every storage must pass. `open` opens the same one again, as another process. */
export function resumableContract(name: string, open: () => Promise<Storage>): void {
  describe(`${name} as a storage of resumable uploads`, () => {
    let storage: Storage;

    beforeEach(async () => {
      storage = await open();
    });

    afterEach(() => storage.close());

    async function create(length: number): Promise<UploadId> {
      const key = newId(NOW + HOUR_MS);
      await storage.resumable.create(key, announce(length));
      return key;
    }

    async function append(key: UploadId, bytes: Buffer, pieceBytes = 60_000): Promise<number> {
      const locked = (await storage.resumable.lock(key))!;
      for (let at = 0; at < bytes.length; at += pieceBytes)
        await locked.append(bytes.subarray(at, at + pieceBytes));
      const offset = await locked.commit();
      await locked.release();
      return offset;
    }

    async function publish(key: UploadId): Promise<UploadId> {
      const locked = (await storage.resumable.lock(key))!;
      const staged = await locked.stage();
      const id = newId(NOW + 3 * HOUR_MS);
      await staged.publish(id, describeUpload(staged));
      await locked.release();
      return id;
    }

    /** What another process sees, and this one after a crash. */
    async function offsetElsewhere(key: UploadId): Promise<number | undefined> {
      const other = await open();
      const state = await other.resumable.find(key);
      await other.close();
      return state?.offset;
    }

    test('has its announcement and the offset 0 before any byte has arrived', async () => {
      const key = await create(100);
      const state = await storage.resumable.find(key);
      expect(state).toEqual({ announced: announce(100), offset: 0, publishedAs: undefined });
    });

    test.each([
      ['bytes', 10, 4],
      ['less than a batch', 100_000, 33_333],
      ['several parts', 12 * MB + 17, 3 * MB + 1],
      ['exactly two parts', 10 * MB, 5 * MB],
    ])('becomes a file of the same bytes when it arrives in pieces: %s', async (_, size, pieceBytes) => {
      const bytes = randomBytes(size);
      const key = await create(size);
      for (let at = 0; at < size; at += pieceBytes) {
        const end = Math.min(at + pieceBytes, size);
        expect(await append(key, bytes.subarray(at, end))).toBe(end);
        expect(await offsetElsewhere(key)).toBe(end);
      }
      const id = await publish(key);
      const file = (await storage.open(id))!;
      expect(file.description).toMatchObject({ size, sha256: sha256(bytes) });
      expect((await bytesOf(await file.read())).equals(bytes)).toBe(true);
      expect((await storage.resumable.find(key))?.publishedAs).toBe(id);
    });

    test('continues after a cut at any byte around the border of a part', async () => {
      const bytes = randomBytes(5 * MB + 4);
      const key = await create(bytes.length);
      const cuts = [0, 5 * MB - 3, 5 * MB - 2, 5 * MB - 1, 5 * MB, 5 * MB + 1, 5 * MB + 2, bytes.length];
      for (const [index, start] of cuts.slice(0, -1).entries()) {
        const end = cuts[index + 1]!;
        expect(await append(key, bytes.subarray(start, end))).toBe(end);
        expect(await offsetElsewhere(key)).toBe(end);
      }
      const file = (await storage.open(await publish(key)))!;
      expect(file.description.sha256).toBe(sha256(bytes));
    });

    test('of no bytes can be published', async () => {
      const id = await publish(await create(0));
      expect(await bytesOf(await (await storage.open(id))!.read())).toHaveLength(0);
    });

    test.each([1000, 11 * MB])(
      'drops %i bytes with a wrong checksum, and continues with the right ones',
      async (size) => {
        const [start, wrong, right] = [randomBytes(1000), randomBytes(size), randomBytes(size)];
        const key = await create(1000 + size);
        await append(key, start);
        const locked = (await storage.resumable.lock(key))!;
        await locked.startUnverified();
        await locked.append(wrong);
        expect(await offsetElsewhere(key)).toBe(1000);
        await locked.rollback();
        await locked.release();
        expect(await offsetElsewhere(key)).toBe(1000);
        const again = (await storage.resumable.lock(key))!;
        await again.startUnverified();
        for (let at = 0; at < size; at += MB) await again.append(right.subarray(at, at + MB));
        expect(await again.commit()).toBe(1000 + size);
        await again.release();
        const file = (await storage.open(await publish(key)))!;
        expect(file.description.sha256).toBe(sha256(Buffer.concat([start, right])));
      },
    );

    test.each([10, 5 * MB, 6 * MB])(
      'of %i bytes is not found again once its file was removed',
      async (size) => {
        const key = await create(size);
        await append(key, randomBytes(size));
        await storage.remove(await publish(key));
        const locked = (await storage.resumable.lock(key))!;
        await expect(locked.stage()).rejects.toMatchObject({ code: 'not-found' });
        await locked.release();
      },
    );

    test('counts with its folder, and with the bytes that have arrived until it is complete', async () => {
      const key = await create(5 * MB);
      const usages = async () => {
        const found: unknown[] = [];
        for await (const usage of storage.resumable.usage()) found.push(usage);
        return found;
      };
      const { owner } = announce(5 * MB);
      const usage = (size: number) => [{ id: key, owner, size, uploadedAt: NOW }];
      expect(await usages()).toEqual(usage(resumableBytes(0)));
      await append(key, randomBytes(4 * MB));
      expect(await usages()).toEqual(usage(resumableBytes(4 * MB)));
      await append(key, randomBytes(MB));
      await publish(key);
      await storage.sweep(NOW);
      expect(await usages()).toEqual(usage(resumableBytes(0)));
    });

    test.each([0, 1000, 6 * MB])(
      'is removed with its %i bytes, but without its file if it is complete',
      async (size) => {
        const key = await create(size + 1);
        if (size > 0) await append(key, randomBytes(size));
        await (await storage.resumable.lock(key))!.remove();
        expect(await storage.resumable.find(key)).toBeUndefined();
        expect(await storage.resumable.lock(key)).toBeUndefined();
        const complete = await create(3);
        await append(complete, Buffer.from('abc'));
        const id = await publish(complete);
        await (await storage.resumable.lock(complete))!.remove();
        expect(await storage.open(id)).toBeDefined();
      },
    );

    test('is swept once it has expired without being complete', async () => {
      const keys = [await create(10), await create(10)];
      for (const key of keys) await append(key, randomBytes(1));
      expect(await storage.sweep(NOW + HOUR_MS - 1)).toMatchObject({ files: 0, stagedUploads: 0 });
      expect(await storage.sweep(NOW + HOUR_MS)).toMatchObject({ files: 0, stagedUploads: 2 });
      expect(await storage.resumable.find(keys[0]!)).toBeUndefined();
    });

    test('names its file until that expires when it is complete', async () => {
      const key = await create(3);
      await append(key, Buffer.from('abc'));
      const id = await publish(key);
      expect(await storage.sweep(NOW + 2.9 * HOUR_MS)).toMatchObject({ files: 0, stagedUploads: 0 });
      expect((await storage.resumable.find(key))?.publishedAs).toBe(id);
      expect(await storage.sweep(NOW + 3 * HOUR_MS)).toMatchObject({ files: 1, stagedUploads: 0 });
      expect(await storage.resumable.find(key)).toBeUndefined();
    });

    test('of which no byte has come in ten minutes is forgotten, and one with bytes is not', async () => {
      const [silent, begun] = [await create(10), await create(10)];
      await append(begun, randomBytes(1));
      await storage.sweep(NOW + 9.9 * MINUTE_MS);
      expect(await storage.resumable.find(silent)).toBeDefined();
      expect(await storage.sweep(NOW + 12 * MINUTE_MS)).toMatchObject({ stagedUploads: 1 });
      expect(await storage.resumable.find(silent)).toBeUndefined();
      expect((await storage.resumable.find(begun))?.offset).toBe(1);
    });

    test('has the bytes of one of two processes that continue at the same offset', async () => {
      const other = await open();
      const key = await create(4000);
      const sent = [Buffer.alloc(4000, 1), Buffer.alloc(4000, 2)];
      const outcomes = await Promise.allSettled(
        [storage, other].map(async ({ resumable }, index) => {
          const locked = (await resumable.lock(key))!;
          // Whoever gets the lock after the other one has released it is refused by the offset.
          if ((await resumable.find(key))?.offset === 0) {
            await locked.append(sent[index]!.subarray(0, 2000));
            await locked.commit().finally(() => locked.release());
          } else await locked.release();
        }),
      );
      const refused = outcomes.filter(({ status }) => status === 'rejected');
      for (const one of refused) expect(one).toMatchObject({ reason: { code: 'locked' } });
      expect(refused.length).toBeLessThan(2);
      expect((await other.resumable.find(key))?.offset).toBe(2000);
      await append(key, Buffer.alloc(2000, 3));
      const bytes = await bytesOf(await (await storage.open(await publish(key)))!.read());
      const end = Buffer.alloc(2000, 3);
      const possible = sent.map((one) => Buffer.concat([one.subarray(0, 2000), end]));
      expect(possible.some((one) => one.equals(bytes))).toBe(true);
      await other.close();
    });

    test('shows every process that one writes to it, and the writer that another process waits', async () => {
      const other = await open();
      const key = await create(100);
      expect(await other.resumable.isHeld(key, 0)).toBe(false);
      const locked = (await storage.resumable.lock(key))!;
      for (const { resumable } of [storage, other]) expect(await resumable.isHeld(key, 0)).toBe(true);
      await locked.append(randomBytes(10));
      await other.resumable.requestTurn(key);
      expect(await storage.resumable.isTurnRequested(key)).toBe(true);
      await other.resumable.endRequest(key);
      await other.resumable.endRequest(key);
      expect(await storage.resumable.isTurnRequested(key)).toBe(false);
      await locked.commit();
      await locked.release();
      for (const { resumable } of [storage, other]) expect(await resumable.isHeld(key, 0)).toBe(false);
      expect((await other.resumable.find(key))?.offset).toBe(10);
      await other.close();
    });

    test('is not found under another key', async () => {
      await create(10);
      const key = newId(NOW + HOUR_MS);
      expect(await storage.resumable.find(key)).toBeUndefined();
      expect(await storage.resumable.lock(key)).toBeUndefined();
    });
  });
}

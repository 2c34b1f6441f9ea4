import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { UploadId } from '../../src/domain/upload-id.ts';
import type { Storage } from '../../src/uploads/storage.ts';
import { bytesOf, describeUpload, HOUR_MS, newId } from '../support/uploads.ts';
import { announce } from './resumable-storage.ts';

const MB = 1024 * 1024;

/**
 * The tests of resumable uploads on a server of S3, which has no locks. `open` opens the same storage again, and
 * `countObjects` counts what is in it.
 */
export function s3ResumableContract(
  name: string,
  open: () => Promise<Storage>,
  countObjects: () => Promise<number>,
): void {
  describe(`${name}, without locks,`, () => {
    let storage: Storage;
    let other: Storage;

    beforeEach(async () => {
      storage = await open();
      other = await open();
    });

    afterEach(() => Promise.all([storage.close(), other.close()]));

    async function appendTo({ resumable }: Storage, key: UploadId, bytes: Buffer): Promise<number> {
      const locked = (await resumable.lock(key))!;
      await locked.append(bytes);
      return locked.commit().finally(locked.release);
    }

    test('refuses a writer whose upload another process has removed', async () => {
      const key = newId(Date.now() + HOUR_MS);
      await storage.resumable.create(key, announce(11 * MB));
      await appendTo(storage, key, randomBytes(5 * MB));
      const late = (await storage.resumable.lock(key))!;
      await (await other.resumable.lock(key))!.remove();
      await late.append(randomBytes(5 * MB));
      await expect(late.commit()).rejects.toMatchObject({ code: 'not-found' });
      expect(await storage.resumable.find(key)).toBeUndefined();
    });

    async function publish({ resumable, open }: Storage, key: UploadId): Promise<Buffer> {
      const staged = await (await resumable.lock(key))!.stage();
      const id = newId(Date.now() + HOUR_MS);
      await staged.publish(id, describeUpload(staged));
      return bytesOf(await (await open(id))!.read());
    }

    test('refuses a writer that another process has overtaken, and keeps the bytes of that one', async () => {
      const bytes = randomBytes(100);
      const key = newId(Date.now() + HOUR_MS);
      await storage.resumable.create(key, announce(bytes.length));
      await appendTo(storage, key, bytes.subarray(0, 10));
      const late = (await storage.resumable.lock(key))!;
      await late.append(randomBytes(40));
      expect(await appendTo(other, key, bytes.subarray(10, 60))).toBe(60);
      await expect(late.commit()).rejects.toMatchObject({ code: 'locked' });
      expect((await storage.resumable.find(key))?.offset).toBe(60);
      expect(await appendTo(storage, key, bytes.subarray(60))).toBe(100);
      expect((await publish(storage, key)).equals(bytes)).toBe(true);
    });

    test('mixes no bytes of two processes that continue at the same offset, however they take turns', async () => {
      const key = newId(Date.now() + HOUR_MS);
      const [one, two] = [Buffer.alloc(12 * MB, 1), Buffer.alloc(12 * MB, 2)];
      await storage.resumable.create(key, announce(one.length));
      const writers = [(await storage.resumable.lock(key))!, (await other.resumable.lock(key))!];
      for (const [index, bytes] of [one, two].entries())
        await writers[index]!.append(bytes.subarray(0, 6 * MB - index));
      expect(await writers[1]!.commit()).toBe(6 * MB - 1);
      await writers[0]!.commit();
      expect((await other.resumable.find(key))?.offset).toBe(6 * MB);
      await appendTo(other, key, one.subarray(6 * MB));
      expect((await publish(other, key)).equals(one)).toBe(true);
    });

    test('has four objects for each MB at most, however small the pieces are', async () => {
      const key = newId(Date.now() + HOUR_MS);
      const bytes = randomBytes(40);
      await storage.resumable.create(key, announce(bytes.length));
      let most = 0;
      for (let at = 0; at < bytes.length; at += 1) {
        const offset = await appendTo(at % 2 ? storage : other, key, bytes.subarray(at, at + 1));
        expect(offset).toBe(at + 1);
        if (at % 3 === 0) most = Math.max(most, await countObjects());
      }
      expect(most).toBeLessThan(21);
      expect((await publish(storage, key)).equals(bytes)).toBe(true);
      // What marks the writer is removed after the answer.
      await expect.poll(countObjects).toBeLessThan(7);
    });
  });
}

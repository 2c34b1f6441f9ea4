import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Storage } from '../../src/uploads/storage.ts';
import { bytesOf, describeUpload, HOUR_MS, newId } from '../support/uploads.ts';
import { announce } from './resumable-storage.ts';

const MB = 1024 * 1024;

/** The tests of resumable uploads on a server of S3, which has no locks. `open` opens the same storage again. */
export function s3ResumableContract(name: string, open: () => Promise<Storage>): void {
  describe(`${name}, without locks,`, () => {
    let storage: Storage;
    let other: Storage;

    beforeEach(async () => {
      storage = await open();
      other = await open();
    });

    afterEach(() => Promise.all([storage.close(), other.close()]));

    async function appendTo({ resumable }: Storage, key: string, bytes: Buffer): Promise<number> {
      const locked = (await resumable.lock(key))!;
      await locked.append(bytes);
      return locked.commit();
    }

    test('refuses an upload that would take more parts than S3 has numbers for', async () => {
      const key = newId(Date.now() + HOUR_MS);
      const max = 10_000 * 5 * MB;
      await expect(storage.resumable.create(key, announce(max + 1))).rejects.toMatchObject({
        code: 'too-large',
      });
      expect(await storage.resumable.find(key)).toBeUndefined();
      await storage.resumable.create(key, announce(max));
      expect((await storage.resumable.find(key))?.announced.length).toBe(max);
    });

    test('refuses a writer whose upload another process has removed', async () => {
      const key = newId(Date.now() + HOUR_MS);
      await storage.resumable.create(key, announce(11 * MB));
      await appendTo(storage, key, randomBytes(5 * MB));
      const late = (await storage.resumable.lock(key))!;
      await (await other.resumable.lock(key))!.remove();
      await late.append(randomBytes(5 * MB));
      await expect(late.commit()).rejects.toMatchObject({ code: 'locked' });
      expect(await storage.resumable.find(key)).toBeUndefined();
    });

    test('refuses a writer whose upload another process has continued, and keeps the bytes of that one', async () => {
      const bytes = randomBytes(100);
      const key = newId(Date.now() + HOUR_MS);
      await storage.resumable.create(key, announce(bytes.length));
      await appendTo(storage, key, bytes.subarray(0, 10));
      const late = (await storage.resumable.lock(key))!;
      const loaded = (await storage.resumable.lock(key))!;
      await loaded.append(randomBytes(50));
      expect(await appendTo(other, key, bytes.subarray(10, 60))).toBe(60);
      await expect(loaded.commit()).rejects.toMatchObject({ code: 'locked' });
      await expect(late.append(randomBytes(50))).rejects.toMatchObject({ code: 'locked' });
      expect(await appendTo(storage, key, bytes.subarray(60))).toBe(100);
      const staged = await (await storage.resumable.lock(key))!.stage();
      const id = newId(Date.now() + HOUR_MS);
      await staged.publish(id, describeUpload(staged));
      expect((await bytesOf(await (await storage.open(id))!.read())).equals(bytes)).toBe(true);
    });
  });
}

import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { UploadId } from '../../src/domain/upload-id.ts';
import type { Storage } from '../../src/uploads/storage.ts';
import { HOUR_MS, keep, newId, usageOf } from '../support/uploads.ts';

const NOW = Date.parse('2026-08-15T21:30:00Z');
const MB = 1024 * 1024;

/** What moderation needs of every storage. `open` opens an empty one. */
export function moderationContract(name: string, open: () => Promise<Storage>): void {
  describe(`${name} for moderation`, () => {
    let storage: Storage;

    beforeEach(async () => {
      storage = await open();
    });

    afterEach(() => storage.close());

    async function idsInUse(): Promise<string[]> {
      return (await usageOf(storage)).map(({ id }) => id).sort();
    }

    describe('a file that is withdrawn', () => {
      const mark = { reason: 'legal', removedAt: NOW, sha256: 'ab'.repeat(32) } as const;
      const describeFile = async (id: UploadId) => (await storage.open(id))?.description;

      test.each([10, 6 * MB])('of %i bytes is replaced by a mark, and is not counted', async (size) => {
        const id = await keep(storage, randomBytes(size), NOW + HOUR_MS);
        const other = await keep(storage, randomBytes(10), NOW + HOUR_MS);
        expect(await storage.remove(id, mark)).toBe(true);
        await expect(describeFile(id)).rejects.toMatchObject({ code: 'removed-legally', mark });
        expect(await idsInUse()).toEqual([other]);
      });

      test('can be withdrawn again with another mark', async () => {
        const id = await keep(storage, randomBytes(10), NOW + HOUR_MS);
        await storage.remove(id, { ...mark, reason: 'operator' });
        await expect(describeFile(id)).rejects.toMatchObject({ code: 'removed' });
        expect(await storage.remove(id, mark)).toBe(true);
        await expect(describeFile(id)).rejects.toMatchObject({ code: 'removed-legally' });
        expect(await idsInUse()).toEqual([]);
      });

      test('keeps its mark until a sweep from the millisecond of its expiry', async () => {
        const id = await keep(storage, randomBytes(10), NOW + 60_000);
        await storage.remove(id, mark);
        await storage.sweep(NOW + 59_999);
        await expect(describeFile(id)).rejects.toMatchObject({ code: 'removed-legally' });
        await storage.sweep(NOW + 60_000);
        expect(await storage.open(id)).toBeUndefined();
      });

      test('keeps its mark when its sender removes it', async () => {
        const id = await keep(storage, randomBytes(10), NOW + HOUR_MS);
        await storage.remove(id, mark);
        expect(await storage.remove(id)).toBe(false);
        await expect(describeFile(id)).rejects.toMatchObject({ code: 'removed-legally' });
      });

      test('is not created for a missing file', async () => {
        const id = newId(NOW + HOUR_MS);
        expect(await storage.remove(id, mark)).toBe(false);
        expect(await storage.open(id)).toBeUndefined();
      });
    });

    describe('records', () => {
      const names = async (prefix: string) => {
        const found: string[] = [];
        for await (const name of storage.records.list(prefix)) found.push(name);
        return found.sort();
      };

      test('are read as they were last written, and are neither listed as files nor swept', async () => {
        await storage.records.put('version', Buffer.from('one'));
        await storage.records.put('version', Buffer.from('two'));
        await storage.sweep(NOW + 48 * HOUR_MS);
        expect((await storage.records.get('version'))?.toString()).toBe('two');
        expect(await idsInUse()).toEqual([]);
      });

      test('are listed by the beginning of their names', async () => {
        const longest = `a.${'b'.repeat(198)}`;
        for (const name of ['a.1', longest, 'b.1']) await storage.records.put(name, Buffer.alloc(0));
        expect(await names('a.')).toEqual(['a.1', longest]);
        expect(await names('')).toEqual(['a.1', longest, 'b.1']);
      });

      test('are removed, also when they are missing', async () => {
        await storage.records.put('a.1', Buffer.from('x'));
        await storage.records.remove([]);
        await storage.records.remove(['a.0', 'a.1']);
        await storage.records.remove(['a.1']);
        expect(await storage.records.get('a.1')).toBeUndefined();
        expect(await names('')).toEqual([]);
      });
    });
  });
}

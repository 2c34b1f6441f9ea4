import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { openDiskStorage } from '../../../src/uploads/storage/disk.ts';
import type { Storage } from '../../../src/uploads/storage.ts';
import { announce } from '../../contracts/resumable-storage.ts';
import { fileHandleMethods } from '../../support/file-handles.ts';
import { temporaryFolder } from '../../support/service.ts';
import { HOUR_MS, keep, newId, usageOf } from '../../support/uploads.ts';

let root: string;
let storage: Storage;

beforeEach(async () => {
  root = await temporaryFolder(onTestFinished);
  storage = await openDiskStorage(root, Date.now);
  onTestFinished(() => storage.close());
});

/** Makes a removal fail after its first step, which hides what is removed. */
async function failFlushes() {
  const spy = vi.spyOn(await fileHandleMethods(), 'sync').mockRejectedValue(new Error('EIO'));
  onTestFinished(() => spy.mockRestore());
  return spy;
}

test.each(['another call', 'a sweep'])(
  'the removal of a file that fails half way is finished by %s, and the file counts until then',
  async (how) => {
    const id = await keep(storage, randomBytes(10), Date.now() + HOUR_MS);
    const failing = await failFlushes();
    await expect(storage.remove(id)).rejects.toThrow('EIO');
    failing.mockRestore();
    expect(await storage.open(id)).toBeUndefined();
    expect((await storage.removing(id))?.owner).toBe('203.0.113.7');
    expect((await usageOf(storage)).map((usage) => usage.id)).toEqual([id]);
    if (how === 'a sweep') expect(await storage.sweep(Date.now())).toMatchObject({ removed: [id] });
    else expect(await storage.remove(id)).toBe(true);
    expect(await usageOf(storage)).toEqual([]);
    expect(await storage.removing(id)).toBeUndefined();
    expect(await storage.remove(id)).toBe(false);
  },
);

test.each(['another call', 'a sweep'])(
  'the removal of a resumable upload that fails half way is finished by %s',
  async (how) => {
    const key = newId(Date.now() + HOUR_MS);
    await storage.resumable.create(key, announce(10));
    const locked = (await storage.resumable.lock(key))!;
    const failing = await failFlushes();
    await expect(locked.remove()).rejects.toThrow('EIO');
    await locked.release();
    failing.mockRestore();
    expect(await storage.resumable.find(key)).toBeUndefined();
    if (how === 'a sweep') expect(await storage.sweep(Date.now())).toMatchObject({ removed: [key] });
    else expect(await storage.resumable.finishRemoval(key)).toBe(true);
    expect(await readdir(join(root, 'removing'))).toEqual([]);
    expect(await storage.resumable.finishRemoval(key)).toBe(false);
  },
);

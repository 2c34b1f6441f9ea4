import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { addAbortSignal, Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { createModerator } from '../../../src/uploads/moderation/moderator.ts';
import { openDiskStorage } from '../../../src/uploads/storage/disk.ts';
import { RemovedFileError, type Storage } from '../../../src/uploads/storage.ts';
import { announce, resumableContract } from '../../contracts/resumable-storage.ts';
import { storageContract } from '../../contracts/storage.ts';
import { fileHandleMethods } from '../../support/file-handles.ts';
import { filesIn, heldIn } from '../../support/files.ts';
import { temporaryFolder } from '../../support/service.ts';
import {
  bytesOf,
  describeUpload,
  HOUR_MS,
  keep,
  newId,
  streamOf,
  unfinishedStream,
  usageOf,
} from '../../support/uploads.ts';

const MB = 1024 * 1024;
let root: string;

beforeEach(async () => {
  root = await temporaryFolder(onTestFinished);
});

async function open(): Promise<Storage> {
  const storage = await openDiskStorage(root);
  onTestFinished(() => storage.close());
  return storage;
}

/** The names of all files below the root. */
const filesKept = async () => (await filesIn(root)).map((file) => basename(file));

/** Files below the root that this process has open. */
const filesHeld = () => heldIn(root);

storageContract('a disk', () => openDiskStorage(root));
resumableContract('a disk', () => openDiskStorage(root));

describe('a disk', () => {
  const soon = () => Date.now() + HOUR_MS;

  test('stores an upload as one file in the folder of the hour of its expiry', async () => {
    const storage = await open();
    const expiresAt = soon();
    const id = await keep(storage, randomBytes(2 * MB), expiresAt);
    const hour = new Date(expiresAt).toISOString().slice(0, 13);
    expect(await readdir(join(root, hour))).toEqual([id]);
    expect(await filesKept()).toEqual([id]);
  });

  test('has no open or remaining files after failed uploads of any kind', async () => {
    const storage = await open();
    const failures = Array.from({ length: 30 }, (_, i) => {
      const size = (i % 3) * MB;
      const cut = storage.stage(unfinishedStream(size, new Error('cut off')));
      const large = storage.stage(streamOf(randomBytes(size + 1)), size);
      const given = storage.stage(addAbortSignal(AbortSignal.timeout(50), unfinishedStream(size)));
      return [cut, large, given];
    });
    const outcomes = await Promise.allSettled(failures.flat());
    expect(new Set(outcomes.map(({ status }) => status))).toEqual(new Set(['rejected']));
    expect(await filesHeld()).toEqual([]);
    expect(await filesKept()).toEqual([]);
  });

  test('sends every byte to forty readers at once, and has no descriptors open once they ended or broke off', async () => {
    const storage = await open();
    const bytes = randomBytes(4 * MB + 1);
    const file = (await storage.open(await keep(storage, bytes, soon())))!;
    expect(await filesHeld()).toEqual([]);
    const read = await Promise.all(Array.from({ length: 40 }, async () => bytesOf(await file.read())));
    expect(read.every((one) => one.equals(bytes))).toBe(true);
    for await (const _ of await file.read()) break;
    expect(await filesHeld()).toEqual([]);
  });

  test.each([1, 2 * MB])(
    'that is full rejects with storage-full and keeps nothing of %i bytes',
    async (size) => {
      const storage = await open();
      await storage.sweep(Date.now());
      const [staging] = await readdir(join(root, 'staging'));
      await symlink('/dev/full', join(root, 'staging', staging!, '2'));
      const upload = keep(storage, randomBytes(size), soon());
      await expect(upload).rejects.toMatchObject({ code: 'storage-full', cause: { code: 'ENOSPC' } });
      expect(await filesKept()).toEqual([]);
    },
  );

  test('stages 60 MB with less than 4 MB of memory', async () => {
    const storage = await open();
    const piece = randomBytes(64 * 1024);
    const before = process.memoryUsage();
    let most = 0;
    const stream = Readable.from(
      (function* () {
        for (let sent = 0; sent < 60 * MB; sent += piece.length) {
          most = Math.max(most, process.memoryUsage().arrayBuffers - before.arrayBuffers);
          yield piece;
        }
      })(),
    );
    const staged = await storage.stage(stream);
    expect(staged.size).toBe(60 * MB);
    expect(most).toBeLessThan(4 * MB);
    await staged.discard();
  });

  test.each([
    ['empty', () => Buffer.alloc(0)],
    ['cut short', (whole: Buffer) => whole.subarray(0, -1)],
    ['without its beginning', (whole: Buffer) => whole.subarray(1)],
    ['of zeros', (whole: Buffer) => Buffer.alloc(whole.length)],
    ['shorter than its footer says', () => Buffer.alloc(100, 0xff)],
    ['without a valid description', () => Buffer.from('null\0\0\0\x04')],
    ['with a number for a description', () => Buffer.from('1\0\0\0\x01')],
  ])(
    'with a file that is %s counts it for an unknown owner, and sends only the others',
    async (_, damage) => {
      const storage = await open();
      const ids = [
        await keep(storage, randomBytes(5_000), soon()),
        await keep(storage, randomBytes(5_000), soon()),
      ];
      const path = join(root, new Date(soon()).toISOString().slice(0, 13), ids[0] as string);
      await writeFile(path, damage(await readFile(path)));
      const owners = (await usageOf(storage)).map(({ id, owner }) => [id, owner]);
      expect(Object.fromEntries(owners)).toEqual({ [ids[0]!]: '', [ids[1]!]: expect.stringMatching(/./u) });
      await expect(storage.open(ids[0]!)).rejects.toThrow(`${path} is damaged`);
      await createModerator(storage, Date.now).remove(ids[0]!, {
        reason: 'operator',
        blocks: false,
      });
      await expect(storage.open(ids[0]!)).rejects.toMatchObject({ code: 'removed' });
      expect(await filesHeld()).toEqual([]);
    },
  );

  test('sweeps past hours as a whole, and does not read future hours', async () => {
    const storage = await open();
    const expired = newId(Date.now() - 1);
    for (const folder of ['2020-01-01T00', '2999-01-01T00', 'backup']) {
      await mkdir(join(root, folder));
      await writeFile(join(root, folder, expired), '');
      await writeFile(join(root, folder, 'stray'), '');
    }
    expect(await storage.sweep(Date.now())).toMatchObject({ files: 1, stagedUploads: 0 });
    const names = ['2999-01-01T00', 'backup', 'moderation', 'staging'];
    expect((await readdir(root)).sort()).toEqual(names);
    expect((await filesKept()).sort()).toEqual([expired, expired, 'stray', 'stray']);
  });

  describe('with two processes', () => {
    test('each keeps the staged uploads of the other', async () => {
      const [one, other] = [await open(), await open()];
      const staged = await one.stage(streamOf(randomBytes(2 * MB)));
      expect(await other.sweep(Date.now() + HOUR_MS / 2)).toMatchObject({ files: 0, stagedUploads: 0 });
      const id = newId(soon());
      await staged.publish(id, describeUpload(staged));
      expect((await other.open(id))?.description.size).toBe(2 * MB);
    });

    test('a file that one keeps in memory is gone when the other removes or withdraws it', async () => {
      const [one, other] = [await open(), await open()];
      const [removed, withdrawn] = [
        await keep(one, Buffer.from('a'), soon()),
        await keep(one, Buffer.from('b'), soon()),
      ];
      for (const id of [removed, withdrawn, removed, withdrawn]) {
        expect((await one.open(id))?.description.size).toBe(1);
      }
      await other.remove(removed);
      await other.remove(withdrawn, { reason: 'operator', removedAt: 1, sha256: '' });
      expect(await one.open(removed)).toBeUndefined();
      await expect(one.open(withdrawn)).rejects.toThrow(RemovedFileError);
    });

    test('nobody who asks after a file has gone shares an answer from before', async () => {
      const storage = await open();
      const expiresAt = soon();
      const id = await keep(storage, Buffer.from('a'), expiresAt);
      await storage.open(id);
      const before = storage.open(id);
      // The disk answers meanwhile, and nobody has heard it when the file goes.
      await nextTurn();
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
      rmSync(join(root, new Date(expiresAt).toISOString().slice(0, 13), id));
      const after = await Promise.all([storage.open(id), storage.open(id)]);
      expect(after).toEqual([undefined, undefined]);
      await before;
    });

    test('one whose staging folder was removed accepts uploads again after the next sweep', async () => {
      const storage = await open();
      await keep(storage, Buffer.from('a'), soon());
      await rm(join(root, 'staging'), { recursive: true });
      await storage.sweep(Date.now());
      await keep(storage, randomBytes(2 * MB), soon());
      expect(await filesKept()).toHaveLength(2);
    });

    test('both may sweep at once', async () => {
      const [one, other] = [await open(), await open()];
      for (let i = 0; i < 100; i += 1) await keep(one, randomBytes(10), soon());
      const later = soon() + HOUR_MS;
      const swept = await Promise.all([one.sweep(later), other.sweep(later)]);
      expect(swept[0].files + swept[1].files).toBe(100);
      expect(await filesKept()).toEqual([]);
    });
  });
});

/** Makes a removal fail when it flushes the folder. */
async function failFlushes() {
  const spy = vi.spyOn(await fileHandleMethods(), 'sync').mockRejectedValue(new Error('EIO'));
  onTestFinished(() => spy.mockRestore());
  return spy;
}

test('a removal of a file that fails leaves the file as it was, and can be repeated', async () => {
  const storage = await open();
  const id = await keep(storage, randomBytes(10), Date.now() + HOUR_MS);
  const failing = await failFlushes();
  await expect(storage.remove(id)).rejects.toThrow('EIO');
  failing.mockRestore();
  expect((await storage.open(id))?.description.size).toBe(10);
  expect((await usageOf(storage)).map((usage) => usage.id)).toEqual([id]);
  expect(await storage.remove(id)).toBe(true);
  expect(await usageOf(storage)).toEqual([]);
  expect(await filesKept()).toEqual([]);
  expect(await storage.remove(id)).toBe(false);
});

test('a removal of a resumable upload that fails hides it, and is finished by a sweep', async () => {
  const storage = await open();
  const key = newId(Date.now() + HOUR_MS);
  await storage.resumable.create(key, announce(10));
  const locked = (await storage.resumable.lock(key))!;
  await locked.append(randomBytes(5));
  await locked.commit();
  const failing = await failFlushes();
  await expect(locked.remove()).rejects.toThrow('EIO');
  await locked.release();
  failing.mockRestore();
  expect(await storage.resumable.find(key)).toBeUndefined();
  expect(await storage.sweep(Date.now())).toMatchObject({ removed: [key] });
  expect(await filesKept()).toEqual([]);
  expect(await readdir(join(root, 'resumable'))).toEqual([]);
});

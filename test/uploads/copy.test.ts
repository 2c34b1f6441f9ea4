import { randomBytes } from 'node:crypto';
import { appendFile, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createUploadId, type UploadId } from '../../src/domain/upload-id.ts';
import { writeCollection } from '../../src/uploads/collections/collection-store.ts';
import { removeStorageCopyMark } from '../../src/uploads/copy/copy-mark.ts';
import { copyUploads } from '../../src/uploads/copy/copy-uploads.ts';
import { createModerator } from '../../src/uploads/moderation/moderator.ts';
import { createReporting } from '../../src/uploads/moderation/reports.ts';
import { openDiskStorage } from '../../src/uploads/storage/disk.ts';
import type { Objects } from '../../src/uploads/storage/objects.ts';
import type { Storage } from '../../src/uploads/storage.ts';
import { useFakeBucket } from '../support/s3-storage.ts';
import { bytesOf, HOUR_MS, keep, streamOf } from '../support/uploads.ts';

const NOW = Date.now();
const KB = 1024;
const MB = 1024 * KB;
const ANNOUNCED = {
  owner: '203.0.113.7',
  address: '203.0.113.7',
  originalname: 'film.mkv',
  mimetype: 'video/x-matroska',
  length: 7 * MB,
  metadata: 'filename ZmlsbS5ta3Y=',
  lifetimeMs: HOUR_MS,
  createdAt: NOW,
};

const bucket = useFakeBucket();

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'tayang-copy-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

async function newDisk(folder?: string): Promise<Storage> {
  const storage = await openDiskStorage(folder ?? (await newFolder()));
  onTestFinished(() => storage.close());
  await storage.check(AbortSignal.timeout(5_000));
  return storage;
}

const copy = (from: Storage, to: Storage, fromName = 'file:/old') =>
  copyUploads({ from, to, fromName, now: NOW, onCopied() {} });

async function append(storage: Storage, key: UploadId, bytes: Buffer): Promise<void> {
  const locked = (await storage.resumable.lock(key))!;
  await locked.append(bytes);
  await locked.commit();
  await locked.release();
}

/** Everything that can be read of a storage: what clients and the operator see. */
async function contentsOf(storage: Storage) {
  const files: Record<string, unknown> = {};
  for await (const id of storage.contents.ids()) {
    files[id] = await storage.open(id).then(
      async (file) => [file?.description, (await bytesOf(await file!.read())).toString('base64')],
      (error) => [error.code, error.mark],
    );
  }
  const unfinished: Record<string, unknown> = {};
  for await (const key of storage.resumable.keys()) {
    const { read, ...state } = (await storage.resumable.inspect(key))!;
    unfinished[key] = [state, state.size > 0 && (await bytesOf(read())).toString('base64')];
  }
  const records: Record<string, string> = {};
  for await (const name of storage.records.list(''))
    if (name !== 'copy') records[name] = String(await storage.records.get(name));
  const collections: Record<string, string> = {};
  for await (const key of storage.collections.list(''))
    collections[key] = String(await storage.collections.get(key));
  return { files, unfinished, records, collections };
}

/** A storage with everything that one can keep. */
async function fill(storage: Storage) {
  const moderator = createModerator(storage, () => NOW);
  const expiresAt = NOW + HOUR_MS;
  const ids: UploadId[] = [];
  for (const size of [0, 1, 70 * KB, 2 * MB, 6 * MB])
    ids.push(await keep(storage, randomBytes(size), expiresAt));
  const [removed, illegal, reported] = [
    await keep(storage, randomBytes(10), expiresAt),
    await keep(storage, randomBytes(6 * MB), expiresAt),
    await keep(storage, randomBytes(10), expiresAt),
  ];
  await keep(storage, randomBytes(10), NOW - 1);
  await moderator.remove(removed, { reason: 'operator', blocks: true });
  await moderator.remove(illegal, { reason: 'legal', blocks: false });
  await moderator.block(['address:198.51.100.0/24']);
  await createReporting(
    storage.records,
    () => NOW,
    () => {},
  )(reported, { reason: 'spam', note: 'again' });
  const collected = { files: ids, owner: '203.0.113.7', address: '203.0.113.7', createdAt: NOW };
  await writeCollection(storage.collections, createUploadId(expiresAt, randomBytes(16)), collected);
  const begun = createUploadId(expiresAt, randomBytes(16));
  const empty = createUploadId(expiresAt, randomBytes(16));
  await storage.resumable.create(begun, ANNOUNCED);
  await append(storage, begun, randomBytes(5 * MB + 100));
  await append(storage, begun, randomBytes(300));
  await storage.resumable.create(empty, ANNOUNCED);
  return { ids, begun, empty, reported, moderator };
}

const ways = {
  'a folder to S3': async () => [await newDisk(), await bucket.open()] as const,
  'S3 to a folder': async () => [await bucket.open(), await newDisk()] as const,
};

describe.each(Object.entries(ways))('a copy from %s', (_name, open) => {
  test('has every file, mark, record and upload in progress, and a second run takes what has changed', async () => {
    const [from, to] = await open();
    const { ids, begun, empty, reported, moderator } = await fill(from);
    const before = await contentsOf(from);
    const { counts, failures } = await copy(from, to);
    expect([...failures]).toEqual([]);
    expect(counts).toEqual([
      { kind: 'uploads in progress', kept: 2, copied: 2, removed: 0 },
      { kind: 'files', kept: 8, copied: 8, removed: 0 },
      { kind: 'records', kept: expect.any(Number), copied: expect.any(Number), removed: 0 },
      { kind: 'collections', kept: 1, copied: 1, removed: 0 },
    ]);
    expect(await contentsOf(from)).toEqual(before);
    const expired = Object.keys(before.files).length - 8;
    expect(expired).toBe(1);
    expect(Object.keys((await contentsOf(to)).files)).toHaveLength(8);

    await append(from, begun, randomBytes(200 * KB));
    await from.remove(ids[1]!);
    await moderator.remove(ids[2]!, { reason: 'operator', blocks: false });
    await moderator.remove(reported, { reason: 'operator', blocks: false });
    await moderator.unblock(['address:198.51.100.0/24']);
    await from.resumable.lock(empty).then(async (locked) => locked?.remove().finally(locked.release));
    const completed = createUploadId(NOW + HOUR_MS, randomBytes(16));
    await from.resumable.create(completed, { ...ANNOUNCED, length: 10 });
    await append(from, completed, randomBytes(10));
    const locked = (await from.resumable.lock(completed))!;
    const staged = await locked.stage();
    const id = createUploadId(NOW + HOUR_MS, randomBytes(16));
    const { description } = (await from.open(ids[0]!))!;
    await staged.publish(id, { ...description, size: staged.size, sha256: staged.sha256 });
    await locked.release();

    const again = await copy(from, to);
    expect([...again.failures]).toEqual([]);
    expect(again.counts).toMatchObject([
      { kept: 2, copied: 2, removed: 1 },
      { kept: 8, copied: 3, removed: 1 },
      { removed: 2 },
      { kept: 1, copied: 0 },
    ]);
    const { files, ...rest } = await contentsOf(from);
    const unexpired = Object.entries(files).filter(([one]) => !isOld(one));
    expect(await contentsOf(to)).toEqual({ ...rest, files: Object.fromEntries(unexpired) });
    expect((await copy(from, to)).counts).toMatchObject([
      { copied: 0 },
      { copied: 0 },
      { copied: 0 },
      { copied: 0 },
    ]);
  });
});

const isOld = (id: string) => Number.parseInt(id.slice(0, -25), 36) <= NOW;

test('objects of every kind that a storage has are copied, and their folders are known', async () => {
  for (const [from, to] of [
    [await newDisk(), await bucket.open()],
    [await bucket.open(), await newDisk()],
  ]) {
    const kinds = Object.keys(from!).filter((name) => isObjects(from![name as keyof Storage]));
    expect(kinds).toContain('records');
    const objectsIn = (storage: Storage, kind: string) => storage[kind as 'records'];
    for (const kind of kinds) await objectsIn(from!, kind).put('a.b', Buffer.from(kind));
    expect(await from!.contents.findUnknown()).toEqual([]);
    await copy(from!, to!, 'any');
    for (const kind of kinds) expect(String(await objectsIn(to!, kind).get('a.b'))).toBe(kind);
    bucket.s3.memory.objects.clear();
  }
});

const isObjects = (value: unknown): value is Objects =>
  value instanceof Object && ['get', 'put', 'remove', 'list'].every((method) => method in value);

describe('a copy of uploads refuses, and changes nothing,', () => {
  test.each([
    ['uploads of its own', (to: Storage) => keep(to, randomBytes(10), NOW + HOUR_MS)],
    ['only a block', (to: Storage) => createModerator(to, () => NOW).block(['address:198.51.100.7'])],
    [
      'an upload in progress',
      (to: Storage) => to.resumable.create(createUploadId(NOW + HOUR_MS, randomBytes(16)), ANNOUNCED),
    ],
  ])('where TO has %s', async (_what, prepare) => {
    const [from, to] = [await newDisk(), await newDisk()];
    await fill(from);
    await prepare(to);
    const before = await contentsOf(to);
    await expect(copy(from, to)).rejects.toThrow(/TO has uploads of its own/u);
    expect(await contentsOf(to)).toEqual(before);
  });

  test('where TO is a copy of other uploads, or one on which a service has run since', async () => {
    const [from, to] = [await newDisk(), await newDisk()];
    await fill(from);
    await copy(from, to);
    await expect(copy(from, to, 'file:/other')).rejects.toThrow(/a copy of other uploads/u);
    await removeStorageCopyMark(to.records);
    await expect(copy(from, to)).rejects.toThrow(/a service has run on it/u);
  });

  test('where FROM is empty, as when its disk is not mounted', async () => {
    const [from, to] = [await newDisk(), await newDisk()];
    await fill(from);
    await copy(from, to);
    const unmounted = await openDiskStorage(await newFolder());
    onTestFinished(() => unmounted.close());
    await expect(copy(unmounted, to)).rejects.toThrow(/FROM is empty; mount its disk/u);
    expect(Object.keys((await contentsOf(to)).files)).toHaveLength(8);
    await expect(copy(unmounted, await newDisk())).rejects.toThrow(/FROM is empty; mount its disk/u);
  });

  test('where FROM or TO keeps something of an unknown kind', async () => {
    const folder = await newFolder();
    const [known, unknown] = [await newDisk(), await newDisk(folder)];
    await mkdir(path.join(folder, 'lost+found'));
    await mkdir(path.join(folder, 'albums'));
    await expect(copy(unknown, known)).rejects.toThrow('FROM has a folder albums/ that this version');
    await expect(copy(known, unknown)).rejects.toThrow('TO has a folder albums/ that this version');
  });
});

test('a damaged file is named, the others are copied, and the copy does not count as complete', async () => {
  const folder = await newFolder();
  const [from, to] = [await newDisk(folder), await newDisk()];
  const { ids } = await fill(from);
  const [hour = ''] = (await readdir(folder))
    .filter((name) => name.startsWith('20'))
    .sort()
    .slice(-1);
  await appendFile(path.join(folder, hour, ids[3]!), 'x');
  const { counts, failures } = await copy(from, to);
  expect([...failures.keys()]).toEqual([`${hour}/${ids[3]}`]);
  expect(counts[1]).toMatchObject({ kind: 'files', kept: 7 });
});

test('after a run that was interrupted, the bytes of what is there already are compared again', async () => {
  const [from, to] = [await newDisk(), await newDisk()];
  const { ids } = await fill(from);
  await copy(from, to);
  const other = await to.stage(streamOf(randomBytes(70 * KB)));
  const { description } = (await from.open(ids[2]!))!;
  await to.remove(ids[2]!);
  await other.publish(ids[2]!, description);
  expect((await copy(from, to)).counts[1]).toMatchObject({ copied: 0 });
  await to.records.put('copy', Buffer.from(JSON.stringify({ from: 'file:/old', isCompared: false })));
  expect((await copy(from, to)).counts[1]).toMatchObject({ copied: 1 });
  expect((await contentsOf(to)).files[ids[2]!]).toEqual((await contentsOf(from)).files[ids[2]!]);
});

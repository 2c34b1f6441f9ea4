import { randomBytes } from 'node:crypto';
import { truncate } from 'node:fs/promises';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { OperationalEvent } from '../../src/domain/operational-event.ts';
import type { Quota } from '../../src/uploads/quota.ts';
import { openDiskStorage } from '../../src/uploads/storage/disk.ts';
import { DamagedFileError, type Storage } from '../../src/uploads/storage.ts';
import { createUploads, type Uploads } from '../../src/uploads/uploads.ts';
import { openQuota } from '../support/quota.ts';
import { eventually, temporaryFolder } from '../support/service.ts';
import { filesIn, KB, MB } from '../support/upload-client.ts';
import { newId, streamOf } from '../support/uploads.ts';

const NOW = Date.parse('2026-08-15T21:30:00Z');
const EXPIRES = NOW + 60_000;
const SOMEBODY = { owner: 'somebody', address: '203.0.113.7' };
const CLAIMS = { originalname: 'foto.PNG', encoding: '7bit', mimetype: 'image/png' };

let root: string;
let now: number;
let storage: Storage;
let freeBytes: () => Promise<number>;
let quota: Quota;
let uploads: Uploads;
let reports: OperationalEvent[];
const report = (event: OperationalEvent) => void reports.push(event);

beforeEach(async () => {
  root = await temporaryFolder(onTestFinished);
  now = NOW;
  reports = [];
  storage = await openDiskStorage(root, () => now);
  onTestFinished(() => storage.close());
  freeBytes = storage.freeBytes;
  quota = await openQuota({ totalBytes: 4 * MB, ownerBytes: 2 * MB, freeBytes: () => freeBytes() });
  uploads = open();
});

function open(over: Partial<Storage> = {}): Uploads {
  const used = { ...storage, ...over };
  return createUploads({ storage: used, quota, maxBytes: MB, now: () => now, report });
}

async function receive(bytes: Buffer, expiresAt = EXPIRES) {
  const upload = await uploads.receive(SOMEBODY, bytes.length);
  await upload.stage(streamOf(bytes));
  const received = await upload.publish(CLAIMS, expiresAt);
  await upload.close();
  return received;
}

describe('a received file', () => {
  test('that another process has received releases its space when it is deleted', async () => {
    const { id, deleteKey } = await receive(Buffer.from('theirs'));
    quota = await openQuota({ totalBytes: MB, ownerBytes: MB, now: () => now, storage });
    await expect.poll(() => quota.stored().files).toBe(1);
    await open().remove(id, deleteKey);
    expect(quota.stored()).toEqual({ files: 0, bytes: 0 });
  });

  test('has a random id and key', async () => {
    const kept = await Promise.all(Array.from({ length: 50 }, () => receive(Buffer.from('same'))));
    const secrets = kept.flatMap(({ id, deleteKey }) => [id.slice(-25), deleteKey]);
    expect(new Set(secrets).size).toBe(100);
    for (const { deleteKey } of kept) expect(Buffer.from(deleteKey, 'base64url')).toHaveLength(16);
  });
});

describe('a damaged file', () => {
  test('is not found, and is reported', async () => {
    const { id, deleteKey } = await receive(randomBytes(300 * KB));
    const [file = ''] = await filesIn(root);
    await truncate(file, 100);
    await expect(uploads.find(id)).rejects.toMatchObject({
      code: 'not-found',
      message: expect.stringMatching(/damaged/u),
    });
    expect(reports.filter(({ type }) => type !== 'upload-received')).toEqual([
      { type: 'store-failed', doing: 'reading an upload', error: expect.any(DamagedFileError) },
    ]);
    await expect(uploads.remove(id, deleteKey)).rejects.toMatchObject({ code: 'not-found' });
  });
});

describe('a storage that fails', () => {
  test('throws its error, which is not reported as a damaged file', async () => {
    const error = new Error('no disk');
    uploads = open({ open: () => Promise.reject(error) });
    await expect(uploads.find(newId(EXPIRES))).rejects.toBe(error);
    expect(reports).toEqual([]);
  });
});

describe('a deletion', () => {
  test('succeeds when the reports cannot be removed, which is reported', async () => {
    const { id, deleteKey } = await receive(Buffer.from('a'));
    const error = new Error('no disk');
    uploads = open({ records: { ...storage.records, remove: () => Promise.reject(error) } });
    await uploads.remove(id, deleteKey);
    expect(reports.at(-1)).toEqual({
      type: 'store-failed',
      doing: 'removing the reports of a deleted file',
      error,
    });
    await expect(uploads.find(id)).rejects.toMatchObject({
      code: 'not-found',
      message: 'there is no such file: it was deleted, or never existed',
    });
  });
});

describe('space', () => {
  test('counts all that a file occupies, the same after a restart, and is free after its deletion', async () => {
    const long = { ...CLAIMS, originalname: `${'x'.repeat(10_000)}.png` };
    const removals: (() => Promise<void>)[] = [];
    for (const size of [0, 1, 4 * KB, 90 * KB]) {
      const upload = await uploads.receive(SOMEBODY, size);
      await upload.stage(streamOf(randomBytes(size)));
      const { id, deleteKey } = await upload.publish(size % 2 ? CLAIMS : long, EXPIRES);
      removals.push(() => uploads.remove(id, deleteKey));
    }
    expect(quota.stored().bytes).toBe((12 + 4 + 16 + 104) * KB);
    const anew = await openQuota({ storage, now: () => now });
    await eventually(
      async () => anew.stored(),
      ({ files }) => files === 4,
    );
    expect(anew.stored()).toEqual(quota.stored());
    for (const remove of removals) await remove();
    expect(quota.stored()).toEqual({ bytes: 0, files: 0 });
  });
});

describe('the disk', () => {
  test('keeps its minimum free when concurrent large uploads do not fit together', async () => {
    const [size, count] = [40 * MB, 12];
    let [free, least] = [300 * MB, 300 * MB];
    freeBytes = async () => free;
    quota = await openQuota({ totalBytes: 1024 * MB, ownerBytes: 1024 * MB, freeBytes });
    uploads = open();
    const receiveLarge = async () => {
      const upload = await uploads.receive(SOMEBODY, size);
      let arrived = 0;
      try {
        for (; arrived < size; arrived += 256 * KB) {
          await upload.reserve(arrived + 256 * KB);
          free -= 256 * KB;
          least = Math.min(least, free);
          await new Promise((turn) => setImmediate(turn));
        }
        return true;
      } catch (error) {
        expect(error).toMatchObject({ code: 'storage-full' });
        free += arrived;
        return false;
      } finally {
        await upload.close();
      }
    };
    const outcomes = await Promise.all(Array.from({ length: count }, receiveLarge));
    expect(least).toBeGreaterThan(64 * MB);
    expect(outcomes).toContain(true);
    expect(outcomes).toContain(false);
    expect(quota.stored().bytes).toBe(0);
  });
});

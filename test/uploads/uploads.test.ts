import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { OperationalEvent } from '../../src/domain/operational-event.ts';
import type { Quota } from '../../src/uploads/quota.ts';
import { openDiskStorage } from '../../src/uploads/storage/disk.ts';
import { DamagedFileError, type Storage } from '../../src/uploads/storage.ts';
import { createUploads, type Uploads } from '../../src/uploads/uploads.ts';
import { openQuota } from '../support/quota.ts';
import { eventually } from '../support/service.ts';
import { filesIn, heldIn, KB, MB } from '../support/upload-client.ts';
import { bytesOf, newId, sha256, streamOf, unfinishedStream } from '../support/uploads.ts';

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
  root = await mkdtemp(path.join(tmpdir(), 'tayang-receive-'));
  now = NOW;
  reports = [];
  storage = await openDiskStorage(root, () => now);
  freeBytes = storage.freeBytes;
  quota = await openQuota({ totalBytes: 4 * MB, ownerBytes: 2 * MB, freeBytes: () => freeBytes() });
  uploads = open();
});

afterEach(async () => {
  await storage.close();
  await rm(root, { recursive: true, force: true });
});

function open(over: Partial<Storage> = {}): Uploads {
  const used = { ...storage, ...over };
  return createUploads({ storage: used, quota, maxBytes: MB, now: () => now, report });
}

/** Leaves so many bytes less for others. */
async function reserve(bytes: number): Promise<void> {
  await (await quota.reserve('somebody', bytes)).grow(bytes);
}

async function receive(bytes: Buffer, expiresAt = EXPIRES) {
  const upload = await uploads.receive(SOMEBODY, bytes.length);
  await upload.stage(streamOf(bytes));
  const received = await upload.publish(CLAIMS, expiresAt);
  await upload.close();
  return received;
}

async function expectNothingLeft(): Promise<void> {
  expect(await filesIn(root)).toEqual([]);
  expect(await heldIn(root)).toEqual([]);
}

describe('a received file', () => {
  test('is found with its bytes, and with a description that comes from them', async () => {
    const bytes = randomBytes(300 * KB);
    const { id, description, deleteKey } = await receive(bytes);
    const file = await uploads.find(id);
    expect(await bytesOf(await file.read())).toEqual(bytes);
    expect(file.description).toEqual(description);
    expect(description).toMatchObject({
      ...CLAIMS,
      size: bytes.length,
      sha256: sha256(bytes),
      mediaType: 'application/octet-stream',
      extension: 'png',
      uploadedAt: NOW,
      expiresAt: EXPIRES,
      owner: 'somebody',
    });
    expect(JSON.stringify(description)).not.toContain(deleteKey);
  });

  test('exists until the millisecond before its expiry and is expired from then on, swept or not', async () => {
    const { id, deleteKey } = await receive(randomBytes(10));
    now = EXPIRES - 1;
    expect(await uploads.find(id)).toBeDefined();
    expect(await uploads.findForDeletion(id, deleteKey)).toBeDefined();
    now = EXPIRES;
    const expired = { code: 'expired', message: 'this file has expired' };
    await expect(uploads.find(id)).rejects.toMatchObject(expired);
    await expect(uploads.findForDeletion(id, deleteKey)).rejects.toMatchObject(expired);
    await expect(uploads.remove(id, deleteKey)).rejects.toMatchObject(expired);
    expect(await filesIn(root)).toHaveLength(1);
  });

  test('that another process has received releases its space when it is deleted', async () => {
    const { id, deleteKey } = await receive(Buffer.from('theirs'));
    quota = await openQuota({ totalBytes: MB, ownerBytes: MB, now: () => now, storage });
    await expect.poll(() => quota.stored().files).toBe(1);
    await open().remove(id, deleteKey);
    expect(quota.stored()).toEqual({ files: 0, bytes: 0 });
  });

  test('is deleted only by its key, once, and its space is free again', async () => {
    const { id, deleteKey } = await receive(randomBytes(MB));
    const notFound = { code: 'not-found' };
    for (const key of ['', 'x', deleteKey.slice(1), `${deleteKey} `, '\0', '🌸'.repeat(1_000)]) {
      await expect(uploads.remove(id, key)).rejects.toMatchObject(notFound);
    }
    expect(quota.stored().bytes).toBe(MB);
    const removals = await Promise.allSettled([1, 2, 3].map(() => uploads.remove(id, deleteKey)));
    expect(removals.map(({ status }) => status)).toContain('fulfilled');
    await expect(uploads.remove(id, deleteKey)).rejects.toMatchObject(notFound);
    expect(quota.stored().bytes).toBe(0);
    await expectNothingLeft();
  });

  test('has a random id and key', async () => {
    const kept = await Promise.all(Array.from({ length: 50 }, () => receive(Buffer.from('same'))));
    const secrets = kept.flatMap(({ id, deleteKey }) => [id.slice(-25), deleteKey]);
    expect(new Set(secrets).size).toBe(100);
    for (const { deleteKey } of kept) expect(Buffer.from(deleteKey, 'base64url')).toHaveLength(16);
  });
});

describe('an address', () => {
  test('whose expiry is past is expired, even when there was never a file', async () => {
    await expect(uploads.find(newId(NOW))).rejects.toMatchObject({ code: 'expired' });
    await expect(uploads.find(newId(NOW + 1))).rejects.toMatchObject({ code: 'not-found' });
  });

  test.each(['', '..', 'x', newId(NOW).slice(1), `${newId(NOW)}/..`])(
    'does not exist for the id %j',
    async (id) => {
      await expect(uploads.find(id)).rejects.toMatchObject({ code: 'not-found' });
    },
  );
});

describe('nothing remains of a file', () => {
  async function stage(bytes: Buffer, declaredBytes = bytes.length) {
    const upload = await uploads.receive(SOMEBODY, declaredBytes);
    await upload.stage(streamOf(bytes));
    return upload;
  }

  test('that is larger than the maximum', async () => {
    await expect(stage(randomBytes(MB + 1))).rejects.toMatchObject({ code: 'too-large' });
    await expectNothingLeft();
  });

  test('that is larger than the space left', async () => {
    await reserve(MB + 900 * KB);
    const staged = await stage(randomBytes(200 * KB), 100 * KB);
    await expect(staged.publish(CLAIMS, EXPIRES)).rejects.toMatchObject({ code: 'storage-full' });
    await staged.close();
    await expectNothingLeft();
  });

  test('whose sender closes the connection', async () => {
    const upload = await uploads.receive(SOMEBODY, MB);
    const stream = unfinishedStream(200 * KB, new Error('cut off'));
    await expect(upload.stage(stream)).rejects.toThrow('cut off');
    await expectNothingLeft();
  });

  test('whose receiver is closed while its sender is silent', async () => {
    const upload = await uploads.receive(SOMEBODY, MB);
    const stream = unfinishedStream(200 * KB);
    const staging = upload.stage(stream);
    const refused = expect(staging).rejects.toThrow('closed');
    await upload.close();
    await refused;
    await expectNothingLeft();
    expect(quota.stored().bytes).toBe(0);
  });

  test('that is closed before it is published, or expires before that', async () => {
    const closed = await stage(randomBytes(300 * KB));
    await closed.close();
    await expect(closed.publish(CLAIMS, EXPIRES)).rejects.toMatchObject({ code: 'storage-full' });
    const late = await stage(randomBytes(300 * KB));
    await expect(late.publish(CLAIMS, NOW)).rejects.toMatchObject({ code: 'expired' });
    await expectNothingLeft();
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
  test('removes the reports of the file, and no others', async () => {
    const { id, deleteKey } = await receive(Buffer.from('a'));
    const names = [`report.${id}.1`, `report.${newId(EXPIRES)}.1`];
    for (const name of names) await storage.records.put(name, Buffer.from('{}'));
    await uploads.remove(id, deleteKey);
    expect(await storage.records.get(names[0]!)).toBeUndefined();
    expect(await storage.records.get(names[1]!)).toBeDefined();
  });

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

import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { OperationalEvent } from '../../src/domain/operational-event.ts';
import type { Quota } from '../../src/uploads/quota.ts';
import { openDiskStorage } from '../../src/uploads/storage/disk.ts';
import type { Chunks, Storage } from '../../src/uploads/storage.ts';
import { createUploads, type Uploads } from '../../src/uploads/uploads.ts';
import { openQuota } from '../support/quota.ts';
import { eventually, temporaryFolder } from '../support/service.ts';
import { filesIn, KB, MB } from '../support/upload-client.ts';
import { bytesOf, sha256, streamOf, unfinishedStream } from '../support/uploads.ts';

const NOW = Date.parse('2026-08-15T21:30:00Z');
const LIFE_MS = 60_000;
const EXPIRES = NOW + LIFE_MS;
const SOMEBODY = { owner: 'somebody', address: '203.0.113.7' };
const CLAIMS = { originalname: 'foto.PNG', encoding: '7bit', mimetype: 'image/png' };

let root: string;
let now: number;
const clocks = { now: () => now, steadyNow: () => now };
let storage: Storage;
let free: Storage['free'];
let quota: Quota;
let uploads: Uploads;
let reports: OperationalEvent[];
const report = (event: OperationalEvent) => void reports.push(event);

beforeEach(async () => {
  root = await temporaryFolder(onTestFinished);
  now = NOW;
  reports = [];
  storage = await openDiskStorage(root);
  onTestFinished(() => storage.close());
  free = storage.free;
  quota = await openQuota({ totalBytes: 4 * MB, ownerBytes: 2 * MB, free: () => free() });
  uploads = open();
});

function open(over: Partial<Storage> = {}): Uploads {
  const used = { ...storage, ...over };
  return createUploads({ storage: used, quota, maxBytes: MB, ...clocks, report });
}

/** The stream of a file in a request, to whose errors the parser of the request listens. */
const fileOf = (bytes: Buffer, pieceBytes?: number) => streamOf(bytes, pieceBytes).on('error', () => {});

async function receive(bytes: Buffer, lifetimeMs = LIFE_MS) {
  const upload = await uploads.receive(SOMEBODY, bytes.length);
  await upload.stage(fileOf(bytes));
  const received = await upload.publish(CLAIMS, lifetimeMs);
  await upload.close();
  return received;
}

test('a received file has a random id and key', async () => {
  const kept = await Promise.all(Array.from({ length: 50 }, () => receive(Buffer.from('same'))));
  const secrets = kept.flatMap(({ id, deleteKey }) => [id.slice(-25), deleteKey]);
  expect(new Set(secrets).size).toBe(100);
  for (const { deleteKey } of kept) expect(Buffer.from(deleteKey, 'base64url')).toHaveLength(16);
});
describe('a request', () => {
  test('publishes its files in the order of their stagings, as what their sender claims, and keeps no other', async () => {
    const request = await uploads.receive({ ...SOMEBODY, address: `::ffff:${SOMEBODY.address}` });
    await Promise.all(['a', 'b', 'c'].map((text) => request.stage(fileOf(Buffer.from(text)))));
    const files = [await request.publish(CLAIMS, LIFE_MS), await request.publish(CLAIMS, LIFE_MS)];
    await request.close();
    await expect(request.stage(fileOf(Buffer.from('d')))).rejects.toThrow('The request is over.');
    for (const [index, { description }] of files.entries()) {
      const bytes = { size: 1, sha256: sha256(Buffer.from('ab'.charAt(index))) };
      expect(description).toMatchObject({ ...CLAIMS, ...SOMEBODY, ...bytes, expiresAt: EXPIRES });
    }
    expect(await filesIn(root)).toHaveLength(2);
    expect(quota.stored()).toEqual({ files: 2, bytes: 2 * (4 * KB + 64) });
  });

  test('that is refused while it arrives releases its space at once, and cannot be published', async () => {
    const [request, other] = [await uploads.receive(SOMEBODY), await uploads.receive(SOMEBODY)];
    await request.stage(fileOf(Buffer.from('a')));
    await request.reserve(MB);
    await expect(request.reserve(3 * MB)).rejects.toMatchObject({ code: 'share-full' });
    await other.reserve(1.9 * MB);
    await expect(request.publish(CLAIMS, LIFE_MS)).rejects.toMatchObject({ code: 'share-full' });
  });

  test('that ends only when its file would have expired publishes nothing', async () => {
    let jumps = 0;
    const steadyNow = () => now + LIFE_MS * Math.min(jumps++, 1);
    const late = createUploads({ storage, quota, maxBytes: MB, now: () => now, steadyNow, report });
    const request = await late.receive(SOMEBODY);
    await request.stage(fileOf(Buffer.from('a')));
    await expect(request.publish(CLAIMS, LIFE_MS)).rejects.toMatchObject({ code: 'expired' });
    await request.close();
    expect(await filesIn(root)).toEqual([]);
  });

  test('that is closed ends its streams, and keeps no file, no space and no timer', async () => {
    const timers = () => process.getActiveResourcesInfo().filter((type) => type === 'Timeout').length;
    const before = timers();
    const request = await uploads.receive(SOMEBODY, 3);
    await request.stage(fileOf(Buffer.from('abc')));
    const silent = unfinishedStream(300 * KB);
    const staging = expect(request.stage(silent)).rejects.toThrow('Premature close');
    await request.close();
    await request.close();
    await staging;
    expect(silent.destroyed).toBe(true);
    expect(await filesIn(root)).toEqual([]);
    expect(quota.stored().bytes).toBe(0);
    expect(timers()).toBeLessThanOrEqual(before);
  });

  test('releases its space although its file can be neither published nor discarded', async () => {
    const fail = () => Promise.reject(new Error('no disk'));
    const stage: Storage['stage'] = async (...of) => ({
      ...(await storage.stage(...of)),
      publish: fail,
      discard: fail,
    });
    const request = await open({ stage }).receive(SOMEBODY);
    await request.stage(fileOf(Buffer.from('a')));
    await expect(request.publish(CLAIMS, LIFE_MS)).rejects.toThrow('no disk');
    await request.close();
    expect(quota.stored()).toEqual({ files: 0, bytes: 0 });
    expect(reports).toEqual([]);
  });

  test('frees the memory of its chunks, unless others share it', async () => {
    const [own, shared] = [Buffer.alloc(64 * KB, 'x'), Buffer.alloc(64 * KB, 'y')];
    const sum = sha256(Buffer.concat([own, shared.subarray(1)]));
    const request = await uploads.receive(SOMEBODY);
    await request.stage(Readable.from([own, shared.subarray(1)]));
    expect([own.length, String(shared)]).toEqual([0, 'y'.repeat(64 * KB)]);
    expect((await request.publish(CLAIMS, LIFE_MS)).description.sha256).toBe(sum);
    await request.close();
  });
});

describe('a scanner', () => {
  test.each([0, 3, 600 * KB])('has checked the %i bytes of a file before it is published', async (size) => {
    const bytes = randomBytes(size);
    const events: string[] = [];
    const scanner = {
      async scan(owner: string, chunks: Chunks) {
        events.push(`${owner} ${sha256(await bytesOf(chunks))}`);
      },
    };
    const publish = () => void events.push('publish');
    const wired = { storage, quota, maxBytes: MB, ...clocks, report: publish, scanner };
    const request = await createUploads(wired).receive(SOMEBODY);
    // The memory of what is staged is freed.
    await request.stage(fileOf(Buffer.from(bytes)));
    const { id } = await request.publish(CLAIMS, LIFE_MS);
    await request.close();
    expect(events).toEqual([`somebody ${sha256(bytes)}`, 'publish']);
    expect((await bytesOf(await (await storage.open(id))!.read())).equals(bytes)).toBe(true);
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
      await upload.stage(fileOf(randomBytes(size)));
      const { id, deleteKey } = await upload.publish(size % 2 ? CLAIMS : long, LIFE_MS);
      removals.push(() => uploads.remove(id, deleteKey));
    }
    expect(quota.stored().bytes).toBe((12 + 4 + 16 + 104) * KB + 4 * 64);
    const anew = await openQuota({ storage });
    await eventually(
      async () => anew.stored(),
      ({ files }) => files === 4,
    );
    expect(anew.stored()).toEqual(quota.stored());
    for (const remove of removals) await remove();
    expect(quota.stored()).toEqual({ bytes: 0, files: 0 });
  });
});

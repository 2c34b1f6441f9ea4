import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { resumableBytes } from '../../src/domain/disk-usage.ts';
import type { UploadId } from '../../src/domain/upload-id.ts';
import type { Quota } from '../../src/uploads/quota.ts';
import { keyOf } from '../../src/uploads/resumable/access.ts';
import type { Body } from '../../src/uploads/resumable/receive-piece.ts';
import {
  createResumableUploads,
  type ResumableUploads,
} from '../../src/uploads/resumable/resumable-uploads.ts';
import { openDiskStorage } from '../../src/uploads/storage/disk.ts';
import type { Storage } from '../../src/uploads/storage.ts';
import { announce } from '../contracts/resumable-storage.ts';
import { filesIn } from '../support/files.ts';
import { openQuota } from '../support/quota.ts';
import { temporaryFolder } from '../support/service.ts';
import { bytesOf, HOUR_MS, sha256 } from '../support/uploads.ts';

const MB = 1024 * 1024;
const NOW = Date.parse('2026-08-15T21:30:00Z');
const OWNER = '192.0.2.1';

let folder: string;
let storage: Storage;
let quota: Quota;
let free: Storage['free'];
let uploads: ResumableUploads;
let now: number;
let elapsedMs: number;
/** By how much time passes between two looks at the monotonic clock. */
let stepMs: number;

beforeEach(async () => {
  now = NOW;
  elapsedMs = 0;
  stepMs = 50;
  folder = await temporaryFolder(onTestFinished);
  storage = await openDiskStorage(folder);
  onTestFinished(() => storage.close());
  free = storage.free;
  quota = await openQuota({ totalBytes: 1_000 * MB, ownerBytes: 1_000 * MB, free: () => free() });
  uploads = open(storage);
});

function open(on: Storage): ResumableUploads {
  return createResumableUploads({
    storage: on,
    quota,
    maxBytes: 100 * MB,
    resumeTtlMs: HOUR_MS,
    report: () => {},
    now: () => now,
    steadyNow: () => now,
    elapsedMs: () => {
      elapsedMs += stepMs;
      return elapsedMs;
    },
  });
}

function create(length: number): Promise<UploadId> {
  return uploads.create({ ...announce(length), owner: OWNER, lifetimeMs: 2 * HOUR_MS });
}

/** A body that comes whole. Its memory is freed. */
function whole(bytes: Buffer): Body {
  return async function* () {
    yield Buffer.from(bytes);
  };
}

/** A body of which some bytes come and then nothing, until it is told to stop or `end` is called. */
function silent(bytes: Buffer) {
  const started = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  async function* body(signal: AbortSignal) {
    signal.addEventListener('abort', () => ended.reject(signal.reason));
    yield bytes;
    started.resolve();
    await ended.promise;
  }
  return { body, started: started.promise, end: ended.resolve };
}

/** A body of which bytes come until `end` is called; 100 ms pass by the monotonic clock between two of them. */
function busy() {
  let isOver = false;
  async function* body() {
    while (!isOver) {
      yield Buffer.from('x');
      elapsedMs += 100;
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  }
  const end = () => {
    isOver = true;
  };
  return { body, end };
}

describe('two requests at once', () => {
  test('do not mix: one that finds the other silent continues at its last byte', async () => {
    const bytes = randomBytes(200);
    const secret = await create(200);
    const dead = silent(bytes.subarray(0, 120));
    const first = uploads.append(secret, 0, dead.body);
    const refused = expect(first).rejects.toMatchObject({ code: 'locked' });
    await dead.started;
    const second = uploads.append(secret, 0, whole(bytes));
    await expect(second).rejects.toMatchObject({ code: 'conflict', message: expect.stringContaining('120') });
    await refused;
    expect(await uploads.append(secret, 120, whole(bytes.subarray(120)))).toBe(200);
    expect((await uploads.result(secret)).description.sha256).toBe(sha256(bytes));
  });

  test('lead to AppError locked for the second one while bytes arrive for the first', async () => {
    stepMs = 0;
    const secret = await create(1_000_000);
    const sending = busy();
    const first = uploads.append(secret, 0, sending.body);
    const second = uploads.append(secret, 0, whole(Buffer.from('y')));
    await expect(second).rejects.toMatchObject({ code: 'locked' });
    sending.end();
    expect(await first).toBeGreaterThan(1);
  });
});

describe('a client that asks where to continue', () => {
  test.each(['this', 'another'])(
    'gets locked from %s process while bytes arrive, and later an offset that stays',
    async (process) => {
      stepMs = 0;
      const second = process === 'this' ? storage : await openDiskStorage(folder);
      if (second !== storage) onTestFinished(() => second.close());
      const asked = open(second);
      const secret = await create(1_000_000);
      const sending = busy();
      const first = uploads.append(secret, 0, sending.body);
      await expect
        .poll(async () => (await filesIn(folder)).some((name) => name.endsWith('/writer')))
        .toBe(true);
      await expect(asked.progress(secret)).rejects.toMatchObject({ code: 'locked' });
      sending.end();
      const end = await first;
      expect((await asked.progress(secret)).offset).toBe(end);
    },
  );

  test('stops a later writer at most once if its process dies while it waits', async () => {
    const secret = await create(200);
    const key = keyOf(secret);
    await storage.resumable.requestTurn(key);
    const sending = silent(randomBytes(100));
    await expect(uploads.append(secret, 0, sending.body)).rejects.toMatchObject({ code: 'locked' });
    expect(await storage.resumable.isTurnRequested(key)).toBe(false);
  });
});

describe('a body', () => {
  test('with a checksum is dropped when it is cut off', async () => {
    const secret = await create(200);
    async function* cut() {
      yield randomBytes(70);
      throw new Error('cut off');
    }
    const checksum = { algorithm: 'sha1', digest: Buffer.alloc(20) } as const;
    await expect(uploads.append(secret, 0, cut, checksum)).rejects.toThrow('cut off');
    expect(await uploads.progress(secret)).toMatchObject({ offset: 0 });
  });
});

test('an upload whose last bytes arrived before a crash is published at the next request', async () => {
  const bytes = randomBytes(300_000);
  const secret = await create(bytes.length);
  const broken: Storage = {
    ...storage,
    resumable: {
      ...storage.resumable,
      async lock(key) {
        const locked = await storage.resumable.lock(key);
        if (locked) locked.stage = () => Promise.reject(new Error('the process was killed'));
        return locked;
      },
    },
  };
  await expect(open(broken).append(secret, 0, whole(bytes))).rejects.toThrow('killed');
  expect(await uploads.progress(secret)).toMatchObject({ offset: bytes.length });
  const { id, description } = await uploads.result(secret);
  expect(description).toMatchObject({ sha256: sha256(bytes), expiresAt: NOW + 2 * HOUR_MS, owner: OWNER });
  const stored = await bytesOf(await (await storage.open(id))!.read());
  expect(stored.equals(bytes)).toBe(true);
});

test('the storage holds neither the address of an upload nor the secret that deletes its file', async () => {
  const secret = await create(3);
  await uploads.append(secret, 0, whole(Buffer.from('abc')));
  const { deleteKey } = await uploads.result(secret);
  const random = secret.slice(-25);
  const files = await filesIn(folder);
  for (const file of files) {
    const text = `${file} ${await readFile(file, 'latin1')}`;
    expect(text).not.toContain(random);
    expect(text).not.toContain(deleteKey);
  }
});

describe('space', () => {
  test('is not taken by what is only announced: on a disk with room for two of five uploads, the bytes decide', async () => {
    let bytes = 64 * MB + 25 * MB;
    free = async () => ({ bytes, files: 1_000 });
    const secrets = await Promise.all(Array.from({ length: 5 }, () => create(10 * MB)));
    /** Sends in pieces of a megabyte, which take space on the disk. */
    async function* inPieces() {
      for (let piece = 0; piece < 10; piece += 1) {
        yield Buffer.alloc(MB);
        bytes -= MB;
      }
    }
    for (const secret of secrets.slice(0, 2)) expect(await uploads.append(secret, 0, inPieces)).toBe(10 * MB);
    await expect(uploads.append(secrets[2]!, 0, inPieces, undefined, 10 * MB)).rejects.toMatchObject({
      code: 'storage-full',
    });
    await expect(uploads.append(secrets[3]!, 0, inPieces)).rejects.toMatchObject({ code: 'storage-full' });
    expect(bytes).toBeGreaterThan(64 * MB);
    await expect(create(10 * MB)).rejects.toMatchObject({ code: 'storage-full' });
  });

  test('that is used up ends an upload, which keeps what has fitted and is never larger than that', async () => {
    quota = await openQuota({ totalBytes: 1_000 * MB, ownerBytes: MB });
    uploads = open(storage);
    const secrets = [await create(MB), await create(MB)];
    async function* endless() {
      for (let piece = 0; piece < 20; piece += 1) yield randomBytes(50_000);
    }
    await Promise.allSettled(secrets.map((secret) => uploads.append(secret, 0, endless)));
    const offsets = await Promise.all(secrets.map(async (secret) => (await uploads.progress(secret)).offset));
    const stored = offsets.reduce((sum, offset) => sum + offset, 0);
    expect(stored).toBeGreaterThan(MB - 2 * 50_000);
    const bytes = offsets.reduce((sum, offset) => sum + resumableBytes(offset), 0);
    expect(quota.stored()).toEqual({ files: 2, bytes });
    expect(bytes).toBeLessThanOrEqual(MB);
  });
});

test('a body that is still arriving when its upload expires is cut off then, and not before', async () => {
  const secret = await create(200);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const sending = silent(randomBytes(100));
  const append = uploads.append(secret, 0, sending.body);
  let outcome: unknown = 'under way';
  const ended = append.catch((error: unknown) => {
    outcome = error;
  });
  await sending.started;
  await vi.advanceTimersByTimeAsync(HOUR_MS - 1);
  expect(outcome).toBe('under way');
  await vi.advanceTimersByTimeAsync(1);
  await ended;
  expect(outcome).toMatchObject({ code: 'expired', message: expect.stringContaining('expired') });
});

test('an upload without a byte takes none after ten minutes, and one with a byte goes on', async () => {
  const [silent, begun] = [await create(10), await create(10)];
  await uploads.append(begun, 0, whole(randomBytes(1)));
  now += 600_000;
  await expect(uploads.append(silent, 0, whole(randomBytes(1)))).rejects.toMatchObject({ code: 'not-found' });
  expect(await uploads.append(begun, 1, whole(randomBytes(1)))).toBe(2);
  await storage.sweep(now);
  await expect(uploads.progress(silent)).rejects.toMatchObject({ code: 'not-found' });
  expect((await uploads.progress(begun)).offset).toBe(2);
});

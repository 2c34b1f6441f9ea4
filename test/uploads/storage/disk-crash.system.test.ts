import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseUploadIds } from '../../../src/domain/upload.ts';
import { openDiskStorage } from '../../../src/uploads/storage/disk.ts';
import type { Storage } from '../../../src/uploads/storage.ts';
import { bytesOf, sha256, usageOf } from '../../support/uploads.ts';

const UPLOADER = join(import.meta.dirname, '../../support/upload-forever.ts');
const KILLS = 5;

let root: string;
let storage: Storage;
/** Ids that a process reported as published before it was killed. */
let promised: string[];

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'tayang-crash-'));
  promised = [];
  for (let kill = 0; kill < KILLS; kill += 1) promised.push(...(await uploadUntilKilled()));
  storage = await openDiskStorage(root, Date.now);
});

afterAll(async () => {
  await storage.close();
  await rm(root, { recursive: true, force: true });
});

async function uploadUntilKilled(): Promise<string[]> {
  const uploader = spawn(process.execPath, [UPLOADER, root], { stdio: ['ignore', 'pipe', 'inherit'] });
  const output = text(uploader.stdout);
  await once(uploader.stdout, 'readable');
  await sleep(randomInt(200));
  uploader.kill('SIGKILL');
  // The last line may be incomplete.
  return parseUploadIds((await output).split('\n'));
}

test('after kill -9 every visible file is complete and unchanged', async () => {
  for (const { id } of await usageOf(storage)) {
    const file = (await storage.open(id))!;
    const bytes = await bytesOf(await file.read());
    expect(file.description).toMatchObject({
      size: bytes.length,
      sha256: sha256(bytes),
      originalname: sha256(bytes),
    });
  }
});

test('after kill -9 every published file exists', async () => {
  expect(promised.length).toBeGreaterThanOrEqual(KILLS);
  const ids = (await usageOf(storage)).map(({ id }) => id);
  expect(ids).toEqual(expect.arrayContaining(promised));
});

test('staged uploads are swept within half a minute after kill -9, and published files are kept', async () => {
  const before = await usageOf(storage);
  expect(await readdir(join(root, 'staging'))).toHaveLength(KILLS + 1);
  const { files } = await storage.sweep(Date.now() + 30_000);
  expect(files).toBe(0);
  expect(await readdir(join(root, 'staging'))).toHaveLength(1);
  expect(await usageOf(storage)).toEqual(before);
});

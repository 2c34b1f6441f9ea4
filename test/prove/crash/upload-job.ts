import assert from 'node:assert/strict';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { readConfig } from '../../../src/app/config.ts';
import { openUploadJob } from '../../../src/app/open-uploads.ts';
import { prepareUploadFolder } from '../../../src/commands/folders.ts';
import { occupiedBytes } from '../../../src/domain/upload.ts';
import { openDiskStorage } from '../../../src/uploads/storage/disk.ts';
import type { Storage } from '../../../src/uploads/storage.ts';
import { filesIn } from '../../support/files.ts';
import { bytesOf, sha256, usageOf } from '../../support/uploads.ts';

export const OWNER = '203.0.113.7';
const DEAD_MS = 60_000;

/** Opens the uploads of a service on a folder. */
export async function openJob(folder: string) {
  const config = readConfig({ DATA_DIR: folder, CACHE_URL: 'memory:' }, '0.0.0');
  await prepareUploadFolder(config);
  return openUploadJob(config, () => {});
}

export type Job = Awaited<ReturnType<typeof openJob>>;

/**
 * Checks that every visible file is whole, that a sweep leaves nothing but these files, also of what was being removed, and that a service that starts now
 * counts exactly these. Resolves with their ids.
 */
export async function checkFiles(folder: string): Promise<Set<string>> {
  const root = path.join(folder, 'uploads');
  const storage = await openDiskStorage(root, Date.now);
  const usage = await usageOf(storage);
  const visible = new Set<string>();
  let occupied = 0;
  for (const { id } of usage) {
    const file = await storage.open(id);
    assert(file, `the file ${id} is listed and cannot be opened`);
    visible.add(id);
    assert.equal(sha256(await bytesOf(await file.read())), file.description.sha256, `${id} is not whole`);
    occupied += occupiedBytes(file.description);
  }
  const unfinished = await unfinishedOf(storage);
  await storage.sweep(Date.now() + DEAD_MS);
  await storage.close();
  const left = (await filesIn(root)).filter((file) => !file.startsWith(path.join(root, 'resumable')));
  assert.equal(left.length, visible.size, 'a sweep left what is no file');
  await checkQuota(folder, {
    files: visible.size + unfinished.files,
    bytes: occupied + unfinished.bytes,
  });
  return visible;
}

/** The resumable uploads that are not complete count with their announced length. */
async function unfinishedOf({ resumable }: Storage): Promise<{ files: number; bytes: number }> {
  let files = 0;
  let bytes = 0;
  for await (const { size } of resumable.usage()) {
    files += 1;
    bytes += size;
  }
  return { files, bytes };
}

async function checkQuota(folder: string, expected: { files: number; bytes: number }): Promise<void> {
  const job = await openJob(folder);
  const deadline = Date.now() + 10_000;
  while (job.usage.stored().files < expected.files && Date.now() < deadline) await setImmediate();
  assert.deepEqual(job.usage.stored(), expected, 'the quota counts something else');
  await job.close();
}

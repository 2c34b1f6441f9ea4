import { createHash, randomBytes, randomInt } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openDiskStorage } from '../../../src/uploads/storage/disk.ts';
import { filesIn } from '../../support/files.ts';
import { startServe, temporaryFolder } from '../../support/service.ts';
import { filePart, MB, MULTIPART, multipart, send } from '../../support/upload-client.ts';
import { bytesOf, usageOf } from '../../support/uploads.ts';

const UPLOADS = 100;
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

async function serve(DATA_DIR: string) {
  const running = await startServe(
    {
      DATA_DIR,
      SERVE: 'uploads',
      UPLOAD_RATE_LIMIT: '1000',
      UPLOAD_CONCURRENCY: '200',
    },
    onTestFinished,
  );
  return { ...running, origin: running.address };
}

interface Promised {
  file: string;
  page: string;
  sha256: string;
}

/** Uploads a file named after its checksum. Resolves with undefined when the service died before it answered. */
async function uploadOne(origin: string, onPromise: () => void): Promise<Promised | undefined> {
  const bytes = randomBytes(randomInt(2) ? randomInt(90_000) : randomInt(2 * MB));
  const name = sha256(bytes);
  try {
    const sending = { headers: { 'Content-Type': MULTIPART }, body: multipart(filePart(name, bytes)) };
    const answer = await send(origin, { method: 'POST', path: '/upload', ...sending });
    const { result } = answer.json();
    onPromise();
    return { file: new URL(result.url_file).pathname, page: new URL(result.url).pathname, sha256: name };
  } catch {
    return undefined;
  }
}

test('kill -9 during 100 uploads loses no published file and leaves no partial one', async () => {
  const DATA_DIR = await temporaryFolder(onTestFinished);
  const folder = path.join(DATA_DIR, 'uploads');
  const first = await serve(DATA_DIR);
  let promised = 0;
  const uploading = Array.from({ length: UPLOADS }, () =>
    uploadOne(first.origin, () => {
      promised += 1;
      if (promised === 30) first.kill('SIGKILL');
    }),
  );
  const kept = (await Promise.all(uploading)).filter((one) => one !== undefined);
  expect(await first.ended).toBe('SIGKILL');
  expect(kept.length).toBeGreaterThanOrEqual(30);
  expect(kept.length).toBeLessThan(UPLOADS);

  const storage = await openDiskStorage(folder, Date.now);
  const visible = await usageOf(storage);
  expect(visible.map(({ id }) => id)).toEqual(expect.arrayContaining(kept.map(({ page }) => page.slice(1))));
  for (const { id } of visible) {
    const file = (await storage.open(id))!;
    const checksum = sha256(await bytesOf(await file.read()));
    expect(file.description).toMatchObject({ originalname: checksum, sha256: checksum });
  }

  const staging = path.join(folder, 'staging');
  const left = await filesIn(staging);
  const swept = await storage.sweep(Date.now() + 60_000);
  expect(swept).toMatchObject({ files: 0, stagedUploads: left.length });
  expect(await readdir(staging)).toHaveLength(1);
  expect(await usageOf(storage)).toHaveLength(visible.length);
  await storage.close();

  const second = await serve(DATA_DIR);
  for (const { file, page, sha256: checksum } of kept) {
    const { body, headers } = await send(second.origin, { path: file });
    expect([sha256(body), headers.etag]).toEqual([checksum, `"${checksum}"`]);
    expect((await send(second.origin, { path: page })).text).toContain(checksum);
  }
});

import { randomBytes } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { openS3Storage } from '../../../src/uploads/storage/s3.ts';
import { openTestS3, S3_KEY, useS3Key } from '../../support/s3.ts';
import { startServe, temporaryFolder } from '../../support/service.ts';
import { MB, upload } from '../../support/upload-client.ts';
import { bytesOf, HOUR_MS, sha256, usageOf } from '../../support/uploads.ts';

const UPLOADS = 40;

test('kill -9 during 40 uploads to S3 loses no published file, and all remains are swept', async () => {
  const s3 = await openTestS3(onTestFinished);
  const url = s3.url();
  const serve = await startServe(
    {
      DATA_DIR: await temporaryFolder(onTestFinished),
      UPLOAD_STORAGE_URL: url,
      ...S3_KEY,
      SERVE: 'uploads',
      UPLOAD_CONCURRENCY: '99',
    },
    onTestFinished,
  );
  const promised: string[] = [];
  const uploading = Array.from({ length: UPLOADS }, async (_, i) => {
    const bytes = randomBytes(i % 4 === 0 ? 6 * MB : i * 1_000);
    const { id } = await upload(serve.address, bytes, { name: sha256(bytes) });
    promised.push(id);
    if (promised.length === UPLOADS / 4) serve.kill('SIGKILL');
  });
  await Promise.allSettled(uploading);
  expect(await serve.ended).toBe('SIGKILL');
  expect(promised.length).toBeLessThan(UPLOADS);

  useS3Key();
  const storage = await openS3Storage(url, Date.now);
  onTestFinished(() => storage.close());
  const visible = (await usageOf(storage)).map(({ id }) => id);
  expect(visible).toEqual(expect.arrayContaining(promised));
  for (const id of visible) {
    const file = (await storage.open(id))!;
    const checksum = sha256(await bytesOf(await file.read()));
    expect(file.description).toMatchObject({ originalname: checksum, sha256: checksum });
  }

  const now = Date.now();
  const left = s3.unfinished().length;
  expect(await storage.sweep(now)).toMatchObject({ files: 0, stagedUploads: 0 });
  expect(await storage.sweep(now + 25_000)).toMatchObject({ files: 0, stagedUploads: left });
  expect(s3.unfinished()).toEqual([]);
  expect(await storage.sweep(now + 25 * HOUR_MS)).toMatchObject({ files: visible.length, stagedUploads: 0 });
  await storage.sweep(now + 26 * HOUR_MS);
  expect(s3.keys()).toEqual([]);
});

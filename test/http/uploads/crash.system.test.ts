import { randomBytes, randomInt } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { driverFor } from '../../../src/domain/setting-url.ts';
import { STORAGE_DRIVERS } from '../../../src/uploads/storage/drivers.ts';
import { openTestS3, S3_KEY } from '../../support/s3.ts';
import { startServe, temporaryFolder } from '../../support/service.ts';
import { MB, send, upload } from '../../support/upload-client.ts';
import { bytesOf, HOUR_MS, sha256, usageOf } from '../../support/uploads.ts';

/** At how many calls of the kernel a single upload may be killed is tried by the proof of crashes. */
const UPLOADS = 60;

async function openUrl(kind: 'a disk' | 'S3'): Promise<string> {
  if (kind === 'a disk') return `file:${await temporaryFolder(onTestFinished)}`;
  return (await openTestS3(onTestFinished)).url();
}

test.each(['a disk', 'S3'] as const)(
  'kill -9 during 60 uploads to %s loses no published file, and all remains are swept',
  async (kind) => {
    const url = await openUrl(kind);
    const environment = {
      ...S3_KEY,
      DATA_DIR: await temporaryFolder(onTestFinished),
      SERVE: 'uploads',
      UPLOAD_STORAGE_URL: url,
      UPLOAD_RATE_LIMIT: '1000',
      UPLOAD_CONCURRENCY: '200',
    };
    const first = await startServe(environment, onTestFinished);
    const promised: Awaited<ReturnType<typeof upload>>[] = [];
    const uploading = Array.from({ length: UPLOADS }, async (_, i) => {
      const bytes = randomBytes(i % 4 === 0 ? randomInt(5 * MB, 6 * MB) : randomInt(90_000));
      promised.push(await upload(first.address, bytes, { name: sha256(bytes) }));
      if (promised.length === UPLOADS / 4) first.kill('SIGKILL');
    });
    await Promise.allSettled(uploading);
    expect(await first.ended).toBe('SIGKILL');
    expect(promised.length).toBeLessThan(UPLOADS);

    const storage = await driverFor(url, STORAGE_DRIVERS)(url);
    onTestFinished(() => storage.close());
    const visible = (await usageOf(storage)).map(({ id }) => id);
    expect(visible).toEqual(expect.arrayContaining(promised.map(({ id }) => id)));
    for (const id of visible) {
      const file = (await storage.open(id))!;
      const checksum = sha256(await bytesOf(await file.read()));
      expect(file.description).toMatchObject({ originalname: checksum, sha256: checksum });
    }

    const second = await startServe(environment, onTestFinished);
    for (const { file, page, result } of promised) {
      const { body, headers } = await send(second.address, { path: file });
      expect([sha256(body), headers.etag]).toEqual([result.originalname, `"${result.originalname}"`]);
      expect((await send(second.address, { path: page })).text).toContain(result.originalname);
    }
    second.kill('SIGKILL');
    await second.ended;

    const now = Date.now();
    for (const later of [0, 30_000]) expect(await storage.sweep(now + later)).toMatchObject({ files: 0 });
    expect(await usageOf(storage)).toHaveLength(visible.length);
    const expired = await storage.sweep(now + 25 * HOUR_MS);
    expect(expired).toMatchObject({ files: visible.length, stagedUploads: 0 });
  },
);

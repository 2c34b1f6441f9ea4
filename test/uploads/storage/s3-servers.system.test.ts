import { beforeAll, beforeEach, describe } from 'vitest';
import { parseS3Url } from '../../../src/uploads/storage/s3/address.ts';
import { openBucket } from '../../../src/uploads/storage/s3/bucket.ts';
import { openS3Storage } from '../../../src/uploads/storage/s3.ts';
import { resumableContract } from '../../contracts/resumable-storage.ts';
import { s3ResumableContract } from '../../contracts/s3-resumable.ts';
import { storageContract } from '../../contracts/storage.ts';
import { CEPH } from '../../support/ceph.ts';
import { describeWith, hasProgram } from '../../support/needs.ts';
import type { RealS3, TestBucket } from '../../support/s3-bucket.ts';
import { SWIFT } from '../../support/swift.ts';
import { untilEnd } from '../../support/until-end.ts';

function contractsOn(server: RealS3): void {
  const defer = untilEnd();
  let bucket: TestBucket;

  beforeAll(async () => {
    bucket = await server.open(defer);
  });

  storageContract('a bucket', () => openS3Storage(bucket.url()));

  describe('a bucket of one test', () => {
    let url: string;

    beforeEach(() => {
      url = bucket.url();
    });

    resumableContract('a bucket', () => openS3Storage(url));
    s3ResumableContract(
      'a bucket',
      () => openS3Storage(url),
      () => countObjects(url),
    );
  });
}

for (const [name, server] of Object.entries({ 'OpenStack Swift': SWIFT, "Ceph's gateway": CEPH }))
  describeWith(hasProgram(server.program), server.needs)(name, () => contractsOn(server));

async function countObjects(url: string): Promise<number> {
  const bucket = openBucket(parseS3Url(url));
  const keys = await Array.fromAsync(bucket.list(''));
  bucket.close();
  return keys.length;
}

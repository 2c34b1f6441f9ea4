import { randomUUID } from 'node:crypto';
import { beforeAll } from 'vitest';
import { openS3Storage } from '../../../src/uploads/storage/s3.ts';
import { storageContract } from '../../contracts/storage.ts';
import { openTestS3, type TestS3, useS3Key } from '../../support/s3.ts';
import { untilEnd } from '../../support/until-end.ts';

const defer = untilEnd();
let s3: TestS3;

beforeAll(async () => {
  useS3Key();
  s3 = await openTestS3(defer);
});

storageContract('a bucket', (clock) => openS3Storage(s3.url(randomUUID()), { clock, report: () => {} }));

import { beforeAll, beforeEach, onTestFinished } from 'vitest';
import { openS3Storage } from '../../src/uploads/storage/s3.ts';
import { openTestS3, type TestS3 } from './s3.ts';
import { untilEnd } from './until-end.ts';

/** The fake of S3 for the tests of a file, which is empty before each of them, and a storage in it. */
export function useFakeBucket() {
  const defer = untilEnd();
  const bucket = {
    s3: undefined as unknown as TestS3,
    url: '',

    /** Opens the storage, again as another process would. */
    async open() {
      const storage = await openS3Storage(bucket.url);
      onTestFinished(() => storage.close());
      return storage;
    },
    /** The keys in the bucket, without the prefix of the storage and without heartbeats. */
    keys: () =>
      bucket.s3
        .keys()
        .map((key) => key.slice(key.indexOf('/') + 1))
        .filter((key) => !/^alive\/\w+$/u.test(key)),
  };

  beforeAll(async () => {
    bucket.s3 = await openTestS3(defer);
  });

  beforeEach(() => {
    const { s3 } = bucket;
    s3.fault = undefined;
    s3.requests.length = 0;
    s3.memory.uploads.clear();
    s3.memory.objects.clear();
    bucket.url = s3.url();
  });

  return bucket;
}

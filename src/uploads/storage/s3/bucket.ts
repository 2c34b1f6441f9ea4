import type { S3Address } from './address.ts';
import { type OnOutcome, openClient } from './client.ts';
import { multipartOf } from './multipart.ts';
import { objectsOf } from './objects.ts';

export type Bucket = ReturnType<typeof openBucket>;

/**
 * The few operations of S3 that a storage takes. None waits for ever, and each fails with AppError `storage-down` or
 * `storage-full`. Nothing is asked of S3 here.
 */
export function openBucket(address: S3Address, onOutcome: OnOutcome) {
  const client = openClient(address, onOutcome);
  return {
    ...objectsOf(address.bucket, client),
    parts: multipartOf(address.bucket, client),
    close: () => client.sdk.destroy(),
  };
}

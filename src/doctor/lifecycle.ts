import { parseS3Url } from '../uploads/storage/s3-address.ts';
import type { Settings } from './patient.ts';

const DAY_MS = 86_400_000;

/**
 * A rule of the bucket for what a service that is gone for good has left, for put-bucket-lifecycle-configuration. While
 * one runs it sweeps more exactly. Amazon counts in days.
 */
export function lifecycleOf({ storageUrl, ttlMs }: Settings['upload']): string {
  const { bucket, prefix } = parseS3Url(storageUrl);
  const rule = {
    ID: 'tayang',
    Status: 'Enabled',
    Filter: { Prefix: prefix },
    Expiration: { Days: Math.ceil(ttlMs / DAY_MS) },
    AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 },
  };
  const rules = JSON.stringify({ Rules: [rule] });
  return `the bucket may clean up by itself: aws s3api put-bucket-lifecycle-configuration --bucket ${bucket} --lifecycle-configuration '${rules}'`;
}

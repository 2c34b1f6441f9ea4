import { parseS3Url } from '../uploads/storage/s3/address.ts';

const DAY_MS = 86_400_000;

export interface LifecycleOptions {
  storageUrl: string;
  ttlMs: number;
  /** How long the largest upload may take from the slowest sender: S3 counts from its beginning. */
  slowestMs: number;
}

/**
 * What puts the rule in place that removes what no sweep comes to, because no process runs any more. In days, which S3
 * rounds up to midnight: it never goes before the sweep does.
 */
export function lifecycleCommand({ storageUrl, ttlMs, slowestMs }: LifecycleOptions): string {
  const { bucket, endpoint, prefix } = parseS3Url(storageUrl);
  const rule = {
    ID: 'tayang',
    Status: 'Enabled',
    Filter: { Prefix: prefix },
    Expiration: { Days: inDays(ttlMs + slowestMs) },
    AbortIncompleteMultipartUpload: { DaysAfterInitiation: inDays(slowestMs) },
  };
  return [
    `aws s3api put-bucket-lifecycle-configuration --bucket ${bucket}`,
    ...(endpoint ? [`--endpoint-url ${endpoint}`] : []),
    `--lifecycle-configuration '${JSON.stringify({ Rules: [rule] })}'`,
  ].join(' ');
}

const inDays = (ms: number): number => Math.max(1, Math.ceil(ms / DAY_MS));

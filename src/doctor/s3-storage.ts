import { Readable } from 'node:stream';
import { DAY_MS } from '../domain/units.ts';
import { MIN_UPLOAD_RATE } from '../domain/upload.ts';
import { parseS3Url } from '../uploads/storage/s3/address.ts';
import type { Storage } from '../uploads/storage.ts';
import { type Finding, ok } from './check.ts';
import type { DoctorContext, Settings } from './context.ts';

/** More than two parts of a multipart upload: the first part is complete when the third one begins. */
const MULTIPART_BYTES = 11 * 1024 ** 2;
/** What only S3 needs: multipart uploads, and a lifecycle rule that the operator has to set once. */
export async function* checkS3Storage(
  storage: Storage,
  { settings: { upload } }: DoctorContext,
): AsyncGenerator<Finding> {
  const staged = await storage.stage(Readable.from([Buffer.alloc(MULTIPART_BYTES)]));
  await staged.discard();
  yield ok('it takes large uploads in parts');
  yield ok(
    'a lifecycle rule removes what is left when no process runs; this replaces the rules of the bucket:',
  );
  yield ok(lifecycleCommand(upload));
}

/**
 * The command that sets the lifecycle rule. S3 counts whole days from the beginning of an upload and rounds up to
 * midnight, so the rule never removes a file before the sweep does.
 */
function lifecycleCommand({ storageUrl, ttlMs, resumeTtlMs, maxBytes }: Settings['upload']): string {
  const { bucket, endpoint, prefix } = parseS3Url(storageUrl);
  const maxUploadMs = Math.max((maxBytes / MIN_UPLOAD_RATE.minBytesPerSecond) * 1_000, resumeTtlMs);
  const rule = {
    ID: 'tayang',
    Status: 'Enabled',
    Filter: { Prefix: prefix },
    Expiration: { Days: toDays(ttlMs + maxUploadMs) },
    AbortIncompleteMultipartUpload: { DaysAfterInitiation: toDays(maxUploadMs) },
  };
  return [
    `aws s3api put-bucket-lifecycle-configuration --bucket ${bucket}`,
    ...(endpoint ? [`--endpoint-url ${endpoint}`] : []),
    `--lifecycle-configuration '${JSON.stringify({ Rules: [rule] })}'`,
  ].join(' ');
}

const toDays = (ms: number): number => Math.max(1, Math.ceil(ms / DAY_MS));

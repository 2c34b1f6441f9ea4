import { randomUUID } from 'node:crypto';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';

const REGION = 'us-east-1';
const BUCKET = 'uploads';

/** A bucket of a real server. */
export interface TestBucket {
  /** An address with a new prefix each time. */
  url(): string;
}

/** Creates the bucket of a server that has just been started. */
export async function createBucket(
  endpoint: string,
  { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey }: Record<string, string>,
): Promise<TestBucket> {
  const credentials = { accessKeyId: accessKeyId!, secretAccessKey: secretAccessKey! };
  const sdk = new S3Client({ region: REGION, endpoint, forcePathStyle: true, credentials });
  await sdk.send(new CreateBucketCommand({ Bucket: BUCKET }));
  sdk.destroy();
  return { url: () => `s3://${BUCKET}?region=${REGION}&endpoint=${endpoint}&prefix=${randomUUID()}` };
}

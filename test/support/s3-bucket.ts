import { randomUUID } from 'node:crypto';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import type { Defer } from './defer.ts';

const REGION = 'us-east-1';
const BUCKET = 'uploads';

/** A bucket of a real server. */
export interface TestBucket {
  /** An address with a new prefix each time. */
  url(): string;
}

/** A server with an API of S3 that tests start. */
export interface RealS3 {
  /** One of its programs, and what to install for it. */
  program: string;
  needs: string;
  /** Starts it on free ports of the loopback, with one bucket. */
  open(defer: Defer): Promise<TestBucket>;
}

/** Creates the bucket of a server that has just been started. Storages of this process have its only key from then on. */
export async function createBucket(endpoint: string, [accessKeyId, secretAccessKey]: [string, string]) {
  Object.assign(process.env, { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey });
  const credentials = { accessKeyId, secretAccessKey };
  const sdk = new S3Client({ region: REGION, endpoint, forcePathStyle: true, credentials });
  await sdk.send(new CreateBucketCommand({ Bucket: BUCKET }));
  sdk.destroy();
  return { url: () => `s3://${BUCKET}?region=${REGION}&endpoint=${endpoint}&prefix=${randomUUID()}` };
}

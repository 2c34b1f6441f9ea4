import { DeleteObjectCommand, HeadBucketCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import type { DependencyCheck } from '../../../domain/dependency.ts';
import type { S3Address } from './address.ts';
import type { Client } from './client.ts';
import { CHECK } from './keys.ts';

/** For requests without content, within the time of a check. */
const TIMEOUTS = { attemptMs: 2_000, totalMs: 5_000 };

/**
 * Returns a check of a bucket. It reads as long as all requests succeed, because to write costs ten times as much; after a
 * failure of any request, which `noteOutcome` is told of, it writes.
 */
export function createBucketCheck({ bucket: Bucket, prefix }: S3Address) {
  const object = { Bucket, Key: `${prefix}${CHECK}` };
  let hasFailed = false;

  async function write({ sdk, send }: Client, signal: AbortSignal): Promise<void> {
    await send(
      (options) => sdk.send(new PutObjectCommand({ ...object, Body: Buffer.from('check') }), options),
      TIMEOUTS,
      signal,
    );
    await send((options) => sdk.send(new DeleteObjectCommand(object), options), TIMEOUTS, signal);
    hasFailed = false;
  }

  return {
    noteOutcome(error: Error | undefined): void {
      hasFailed ||= error !== undefined;
    },
    checkWith:
      (client: Client): DependencyCheck =>
      async (signal) => {
        const { sdk, send } = client;
        if (hasFailed) return write(client, signal);
        await send((options) => sdk.send(new HeadBucketCommand({ Bucket }), options), TIMEOUTS, signal);
      },
  };
}

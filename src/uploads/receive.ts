import type { Readable } from 'node:stream';
import { canonicalAddress } from '../network/ip-address.ts';
import { freeingChunks } from './free-chunk.ts';
import {
  createPublisher,
  type PublisherOptions,
  type ReceivedUpload,
  type Sender,
  type SenderClaims,
} from './publish.ts';
import type { Quota } from './quota.ts';
import type { StagedUpload, Storage } from './storage.ts';

export interface ReceiverOptions extends PublisherOptions {
  storage: Storage;
  quota: Quota;
  maxBytes: number;
}

/**
 * Returns a function that begins to receive the files of a request. `declaredBytes` is the length of the request, of which up
 * to `envelopeBytes` may not belong to files. Throws AppError `storage-full` when that does not fit, and `limiter-down`.
 */
export function createReceiver(options: ReceiverOptions) {
  const { storage, quota, maxBytes } = options;
  const publish = createPublisher(options);

  return async ({ owner, address: sentFrom }: Sender, declaredBytes?: number, envelopeBytes = 0) => {
    const address = canonicalAddress(sentFrom);
    const space = await quota.reserve(owner, declaredBytes, envelopeBytes);
    const files: { source: Readable; staging: Promise<StagedUpload> }[] = [];
    /** How many of the files are published. */
    let published = 0;
    let isClosed = false;

    return {
      /**
       * Reserves space as bytes of the request arrive. Rejects with AppError `storage-full`, and `limiter-down`. A refused
       * request releases its space at once, for the others.
       */
      reserve: (arrivedBytes: number): Promise<void> | undefined =>
        space.grow(arrivedBytes)?.catch((error: unknown) => {
          space.release();
          throw error;
        }),
      /**
       * Stages the stream of a file to its end; its chunks cannot be read afterwards. Several files may be staged at once.
       * Throws AppError `too-large` or `storage-full`.
       */
      async stage(source: Readable): Promise<void> {
        if (isClosed) throw new Error('The request is over.');
        const staging = storage.stage(freeingChunks(source), maxBytes);
        files.push({ source, staging });
        await staging;
      },
      /** Publishes the next file, in the order of their stagings, and throws as `createPublisher` says. */
      async publish(claims: SenderClaims, lifetimeMs: number): Promise<ReceivedUpload> {
        const file = files[published];
        if (!file) throw new Error('Nothing has been staged.');
        const staged = await file.staging;
        const received = await publish(staged, space.keep, { ...claims, lifetimeMs, owner, address });
        published += 1;
        return received;
      },
      /** Has to be called in any case: discards what is not published, and releases the space. */
      async close(): Promise<void> {
        const left = isClosed ? [] : files.slice(published);
        isClosed = true;
        if (left.length > 0) {
          for (const { source } of left) source.destroy();
          // A discard may fail: a sweep removes what it leaves.
          await Promise.allSettled(left.map(async ({ staging }) => (await staging).discard()));
        }
        space.release();
      },
    };
  };
}

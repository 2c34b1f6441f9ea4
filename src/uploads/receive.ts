import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { freeingChunks } from './free-chunk.ts';
import { canonicalAddress } from './ip-address.ts';
import {
  createPublisher,
  type PublisherOptions,
  type ReceivedUpload,
  type Sender,
  type SenderClaims,
} from './publish.ts';
import type { Quota } from './quota.ts';
import type { Scanner } from './scanner.ts';
import type { StagedUpload, Storage } from './storage.ts';

/** How long `close` waits for a discard. A storage that takes longer finishes in the background. */
const MAX_DISCARD_MS = 10_000;

export interface ReceiverOptions extends PublisherOptions {
  storage: Storage;
  quota: Quota;
  maxBytes: number;
  /** Undefined where files are not checked for malware. */
  scanner?: Pick<Scanner, 'open'> | undefined;
}

/**
 * Returns a function that begins to receive an upload. `declaredBytes` is the length of the request, of which up to
 * `envelopeBytes` may not belong to the file. Throws AppError `storage-full` when the file does not fit, `limiter-down`,
 * and `scanner-down` when it could not be checked.
 */
export function createReceiver(options: ReceiverOptions) {
  const { storage, quota, maxBytes, scanner } = options;
  const publish = createPublisher(options);

  return async ({ owner, address: sentFrom }: Sender, declaredBytes?: number, envelopeBytes = 0) => {
    const address = canonicalAddress(sentFrom);
    const space = await quota.reserve(owner, declaredBytes, envelopeBytes);
    const scan = await scanner?.open().catch((error: unknown) => {
      space.release();
      throw error;
    });
    let source: Readable | undefined;
    let staging: Promise<StagedUpload> | undefined;
    let checked: Promise<void> | undefined;
    let isOver = false;

    return {
      /**
       * Reserves space as bytes of the request arrive. Rejects with AppError `storage-full`, and `limiter-down`. A refused
       * upload releases its space at once, for the others.
       */
      reserve: (arrivedBytes: number): Promise<void> | undefined =>
        space.grow(arrivedBytes)?.catch((error: unknown) => {
          space.release();
          throw error;
        }),
      /**
       * Stages the stream, once, to its end; its chunks cannot be read afterwards. Throws AppError `too-large`,
       * `storage-full`, `malware-found` or `scanner-down`.
       */
      async stage(stream: Readable): Promise<void> {
        if (staging || isOver) throw new Error('An upload is staged once.');
        source = stream;
        // A scanner may still be sending the chunks before.
        const chunks = scan ? stream : freeingChunks(stream);
        staging = storage.stage(chunks, { maxBytes, watch: scan?.push });
        checked = staging.then(() => scan?.finish());
        await checked;
      },
      /** Publishes the staged upload. Throws AppError `blocked`, `storage-full` or `expired`. */
      async publish(claims: SenderClaims, expiresAt: number): Promise<ReceivedUpload> {
        if (!staging) throw new Error('Nothing has been staged.');
        await checked;
        const received = await publish(await staging, space.keep, { ...claims, expiresAt, owner, address });
        isOver = true;
        return received;
      },
      /** Has to be called in any case: discards the staged upload and releases the space. */
      async close(): Promise<void> {
        if (!isOver) {
          isOver = true;
          source?.destroy(new Error('the upload was closed'));
          await waitBriefly(staging?.then((staged) => staged.discard()));
        }
        scan?.close();
        space.release();
      },
    };
  };
}

/** Waits for a discard, but not for long. It may fail: a sweep removes what it leaves. */
async function waitBriefly(work: Promise<void> | undefined): Promise<void> {
  const timeout = new AbortController();
  const late = sleep(MAX_DISCARD_MS, undefined, { signal: timeout.signal }).catch(() => {});
  await Promise.race([work?.catch(() => {}), late]);
  timeout.abort();
}

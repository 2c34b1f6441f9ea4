import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Report } from '../domain/operational-event.ts';
import { createPublisher, type ReceivedUpload, type SenderClaims } from './publish.ts';
import type { Quota } from './quota.ts';
import { createSpaceReserver } from './reserve-space.ts';
import type { StagedUpload, Storage } from './storage.ts';

/** How long `close` waits for a discard. A storage that takes longer finishes in the background. */
const MAX_DISCARD_MS = 10_000;

export interface ReceiverOptions {
  storage: Storage;
  quota: Quota;
  maxBytes: number;
  /** Wall clock, ms since 1970. */
  now: () => number;
  report: Report;
}

/** Receives one upload. To be closed in any case: `close` alone discards what was staged and releases the space. */
interface UploadReceiver {
  /**
   * Reserves space as bytes arrive. Throws AppError `storage-full`, or rejects with it when free space on the disk had
   * to be read.
   */
  reserve(arrivedBytes: number): Promise<void> | undefined;
  /** Stages the stream, once, to its end. Throws AppError `too-large` or `storage-full`. */
  stage(stream: Readable): Promise<void>;
  /** Publishes the staged upload. Throws AppError `storage-full` or `expired`. */
  publish(claims: SenderClaims, expiresAt: number): Promise<ReceivedUpload>;
  close(): Promise<void>;
}

/**
 * Returns a function that begins to receive an upload. `declaredBytes` is the length of the request, of which up to
 * `envelopeBytes` may not belong to the file. Throws AppError `storage-full` when the file cannot fit.
 */
export function createReceiver({ storage, quota, maxBytes, now, report }: ReceiverOptions) {
  const reserveSpace = createSpaceReserver({ storage, quota });
  const publish = createPublisher({ now, report });

  return async (owner: string, declaredBytes?: number, envelopeBytes = 0): Promise<UploadReceiver> => {
    const space = await reserveSpace(owner, declaredBytes, envelopeBytes);
    let source: Readable | undefined;
    let staging: Promise<StagedUpload> | undefined;
    let isOver = false;

    return {
      reserve: (arrivedBytes) => space.grow(arrivedBytes),
      async stage(stream) {
        if (staging || isOver) throw new Error('An upload is staged once.');
        source = stream;
        staging = storage.stage(stream, { maxBytes });
        await staging;
      },
      async publish(claims, expiresAt) {
        if (!staging) throw new Error('Nothing has been staged.');
        const received = await publish(await staging, space, { ...claims, expiresAt, owner });
        isOver = true;
        return received;
      },
      async close() {
        if (!isOver) {
          isOver = true;
          source?.destroy(new Error('the upload was closed'));
          await waitBriefly(staging?.then((staged) => staged.discard()));
        }
        space.release();
      },
    };
  };
}

/** Waits for work that may fail: what a discard leaves behind, a sweep removes. */
async function waitBriefly(work: Promise<void> | undefined): Promise<void> {
  const timeout = new AbortController();
  const late = sleep(MAX_DISCARD_MS, undefined, { signal: timeout.signal }).catch(() => {});
  await Promise.race([work?.catch(() => {}), late]);
  timeout.abort();
}

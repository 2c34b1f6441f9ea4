import { createHash, randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../domain/errors.ts';
import type { Report } from '../domain/operational-event.ts';
import { occupiedBytes, type UploadDescription, uploadId } from '../domain/upload.ts';
import { extensionOf } from './file-name.ts';
import { canonicalAddress } from './limiter-keys.ts';
import { detectMediaType } from './media-type.ts';
import type { BlockList } from './moderation/block-list.ts';
import type { Quota } from './quota.ts';
import { createSpaceReserver, type SpaceReservation } from './reserve-space.ts';
import type { Scanner } from './scanner.ts';
import type { StagedUpload, Storage } from './storage.ts';

const SECRET_BYTES = 16;
/** How long `close` waits for a discard. A storage that takes longer finishes in the background. */
const MAX_DISCARD_MS = 10_000;

export interface ReceiverOptions {
  storage: Storage;
  quota: Quota;
  maxBytes: number;
  /** Wall clock, ms since 1970. */
  now: () => number;
  report: Report;
  /** Undefined where files are not checked for malware. */
  scanner?: Scanner | undefined;
  /** What is blocked. Without it nothing is. */
  blocks?: () => Promise<Pick<BlockList, 'hasSha256'>>;
  /** The name of this process in the descriptions of the files that it receives. */
  receiver?: string;
}

/** Who sends a file. */
export interface Sender {
  /** The key of the quota that the file counts against. */
  owner: string;
  /** The client's address. */
  address: string;
}

/** What the sender claims about the file. */
export interface SenderClaims {
  originalname: string;
  encoding: string;
  mimetype: string;
}

export interface ReceivedUpload {
  id: string;
  description: UploadDescription;
  /** The secret that deletes the file. Only its hash is stored. */
  deleteKey: string;
}

/** Receives one upload. To be closed in any case: `close` alone discards what was staged and releases the space. */
interface UploadReceiver {
  /**
   * Reserves space as bytes arrive. Throws AppError `storage-full`, or rejects with it when free space on the disk had
   * to be read.
   */
  reserve(arrivedBytes: number): Promise<void> | undefined;
  /** Stages the stream, once, to its end. Throws AppError `too-large`, `storage-full`, `malware-found` or `scanner-down`. */
  stage(stream: Readable): Promise<void>;
  /** Publishes the staged upload. Throws AppError `blocked`, `storage-full` or `expired`. */
  publish(claims: SenderClaims, expiresAt: number): Promise<ReceivedUpload>;
  close(): Promise<void>;
}

/**
 * Returns a function that begins to receive an upload. `declaredBytes` is the length of the request, of which up to
 * `envelopeBytes` may not belong to the file. Throws AppError `storage-full` when the file cannot fit, and
 * `scanner-down` when it could not be checked.
 */
export function createReceiver(options: ReceiverOptions) {
  const { storage, quota, maxBytes, now, report, scanner, blocks, receiver = '' } = options;
  const reserveSpace = createSpaceReserver({ storage, quota });

  async function publish(
    staged: StagedUpload,
    space: SpaceReservation,
    details: SenderClaims & Sender & { expiresAt: number },
  ): Promise<ReceivedUpload> {
    await refuseBlocked(staged.sha256, details.address);
    const id = uploadId(details.expiresAt, randomBytes(SECRET_BYTES));
    const deleteKey = randomBytes(SECRET_BYTES).toString('base64url');
    const description: UploadDescription = {
      ...details,
      size: staged.size,
      sha256: staged.sha256,
      mediaType: await detectMediaType(staged.head),
      extension: extensionOf(details.originalname),
      uploadedAt: now(),
      receiver,
      deleteKeyHash: hashDeleteKey(deleteKey),
    };
    const occupied = occupiedBytes(description);
    await space.grow(occupied);
    await space.keep(id, occupied, () => staged.publish(id, description));
    const { size, mediaType, sha256 } = description;
    report({ type: 'upload-received', id, size, mediaType, sha256, address: details.address });
    return { id, description, deleteKey };
  }

  async function refuseBlocked(sha256: string, address: string): Promise<void> {
    if (!(await blocks?.())?.hasSha256(sha256)) return;
    report({ type: 'upload-blocked', by: 'sha256', address, sha256 });
    throw new AppError('blocked', 'this file is not accepted here: the operator has blocked its content');
  }

  return async (
    { owner, address: sentFrom }: Sender,
    declaredBytes?: number,
    envelopeBytes = 0,
  ): Promise<UploadReceiver> => {
    const address = canonicalAddress(sentFrom);
    const space = await reserveSpace(owner, declaredBytes, envelopeBytes);
    const scan = await scanner?.open().catch((error: unknown) => {
      space.release();
      throw error;
    });
    let source: Readable | undefined;
    let staging: Promise<StagedUpload> | undefined;
    let checked: Promise<void> | undefined;
    let isOver = false;

    return {
      reserve: (arrivedBytes) => space.grow(arrivedBytes),
      async stage(stream) {
        if (staging || isOver) throw new Error('An upload is staged once.');
        source = stream;
        staging = storage.stage(stream, { maxBytes, watch: scan?.push });
        checked = staging.then(() => scan?.finish());
        await checked;
      },
      async publish(claims, expiresAt) {
        if (!staging) throw new Error('Nothing has been staged.');
        await checked;
        const received = await publish(await staging, space, { ...claims, expiresAt, owner, address });
        isOver = true;
        return received;
      },
      async close() {
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

export function hashDeleteKey(key: string): string {
  return createHash('sha256').update(key).digest('base64url');
}

/** Waits for work that may fail: what a discard leaves behind, a sweep removes. */
async function waitBriefly(work: Promise<void> | undefined): Promise<void> {
  const timeout = new AbortController();
  const late = sleep(MAX_DISCARD_MS, undefined, { signal: timeout.signal }).catch(() => {});
  await Promise.race([work?.catch(() => {}), late]);
  timeout.abort();
}

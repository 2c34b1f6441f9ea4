import { createHash, randomBytes } from 'node:crypto';
import type { Report } from '../domain/operational-event.ts';
import { occupiedBytes, type UploadDescription, uploadId } from '../domain/upload.ts';
import { extensionOf } from './file-name.ts';
import { detectMediaType } from './media-type.ts';
import type { SpaceReservation } from './reserve-space.ts';
import type { StagedUpload } from './storage.ts';

const SECRET_BYTES = 16;

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

/** What is known of an upload before its bytes have been looked at. */
interface PublishedDetails extends SenderClaims {
  /** Ms since 1970. */
  expiresAt: number;
  owner: string;
}

interface PublisherOptions {
  /** Wall clock, ms since 1970. */
  now: () => number;
  report: Report;
}

/**
 * Returns the function that publishes every upload, however it was received. Throws AppError `storage-full` or
 * `expired`.
 */
export function createPublisher({ now, report }: PublisherOptions) {
  return async (
    staged: StagedUpload,
    space: SpaceReservation,
    details: PublishedDetails,
    deleteKey = randomBytes(SECRET_BYTES).toString('base64url'),
  ): Promise<ReceivedUpload> => {
    const id = uploadId(details.expiresAt, randomBytes(SECRET_BYTES));
    const description: UploadDescription = {
      ...details,
      size: staged.size,
      sha256: staged.sha256,
      mediaType: await detectMediaType(staged.head),
      extension: extensionOf(details.originalname),
      uploadedAt: now(),
      deleteKeyHash: hashDeleteKey(deleteKey),
    };
    const occupied = occupiedBytes(description);
    await space.grow(occupied);
    await staged.publish(id, description);
    space.keep(occupied, details.expiresAt);
    report({ type: 'upload-received', bytes: staged.size });
    return { id, description, deleteKey };
  };
}

export function hashDeleteKey(key: string): string {
  return createHash('sha256').update(key).digest('base64url');
}

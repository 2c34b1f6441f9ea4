import { createHash, randomBytes } from 'node:crypto';
import { occupiedBytes } from '../domain/disk-usage.ts';
import { AppError } from '../domain/errors.ts';
import { extensionOf } from '../domain/file-name.ts';
import type { Report } from '../domain/operational-event.ts';
import type { UploadDescription } from '../domain/upload.ts';
import { createUploadId, type UploadId } from '../domain/upload-id.ts';
import { detectMediaType } from './media-type.ts';
import type { BlockList } from './moderation/block-list.ts';
import type { SpaceReservation } from './quota.ts';
import type { Scanner } from './scanner.ts';
import { requireUnexpired, type UploadClocks } from './steady-clock.ts';
import type { StagedUpload } from './storage.ts';

export const SECRET_BYTES = 16;

/** What the sender claims about the file. */
export type SenderClaims = Pick<UploadDescription, 'originalname' | 'encoding' | 'mimetype'>;

export interface ReceivedUpload {
  id: UploadId;
  description: UploadDescription;
  /** The secret that deletes the file. Only its hash is stored. */
  deleteKey: string;
}

/** The sender of a file. */
export interface Sender {
  /** The key of the quota that the file counts against. */
  owner: string;
  /** The client's address. */
  address: string;
}

/** What a description has beside the properties of the bytes. */
interface PublishedDetails extends SenderClaims, Sender {
  lifetimeMs: number;
}

/**
 * Publishes a staged upload, whether it came in one request or several. `space` counts the file in the quota. Throws AppError
 * `blocked`, `malware-found`, `scanner-down`, `storage-full`, `expired` or `clock-ahead`.
 */
export type Publish = (
  staged: StagedUpload,
  space: Pick<SpaceReservation, 'grant'>,
  details: PublishedDetails,
  deleteKey?: string,
) => Promise<ReceivedUpload>;

export interface PublisherOptions extends UploadClocks {
  report: Report;
  /** The blocked checksums and addresses. By default none. */
  blocks?: () => Promise<Pick<BlockList, 'hasSha256'>>;
  /** Undefined if no malware scanner is configured. */
  scanner?: Pick<Scanner, 'scan'> | undefined;
}

export function createPublisher(options: PublisherOptions): Publish {
  const { steadyNow, report, blocks, scanner } = options;

  /** Throws AppError `blocked`, `malware-found` or `scanner-down`. */
  async function requireAccepted(staged: StagedUpload, { owner, address }: Sender): Promise<void> {
    if ((await blocks?.())?.hasSha256(staged.sha256)) {
      report({ type: 'upload-blocked', by: 'sha256', address, sha256: staged.sha256 });
      throw new AppError('blocked', 'this file is not accepted here: the operator has blocked its content');
    }
    await scanner?.scan(owner, staged.read());
  }

  return async (staged, space, { lifetimeMs, ...details }, deleteKey = createDeleteKey()) => {
    requireUnexpired(steadyNow() + lifetimeMs, options);
    await requireAccepted(staged, details);
    const uploadedAt = steadyNow();
    const expiresAt = uploadedAt + lifetimeMs;
    const id = createUploadId(expiresAt, randomBytes(SECRET_BYTES));
    const description: UploadDescription = {
      ...details,
      size: staged.size,
      sha256: staged.sha256,
      mediaType: await detectMediaType(staged.head),
      extension: extensionOf(details.originalname),
      uploadedAt,
      expiresAt,
      deleteKeyHash: hashDeleteKey(deleteKey),
    };
    const occupied = occupiedBytes(description);
    const grant = await space.grant(occupied);
    await staged.publish(id, description, () => {
      grant.requireValid();
      requireUnexpired(expiresAt, options);
    });
    await grant.commit({ id, size: occupied });
    const { size, mediaType, sha256 } = description;
    report({ type: 'upload-received', id, size, mediaType, sha256, address: details.address });
    return { id, description, deleteKey };
  };
}

function createDeleteKey(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}

export function hashDeleteKey(key: string): string {
  return createHash('sha256').update(key).digest('base64url');
}

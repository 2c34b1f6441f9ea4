import type { ErrorCode } from '../../../../src/domain/errors.ts';
import { occupiedBytes, type UploadDescription } from '../../../../src/domain/upload.ts';
import type { RemovalMark } from '../../../../src/uploads/storage.ts';

export const TOTAL_BYTES = 200_000;
export const OWNER_BYTES = 120_000;

interface KnownFile {
  description: UploadDescription;
  /** Empty until the upload is acknowledged. */
  deleteKey: string;
  state: 'stored' | 'deleted' | RemovalMark['reason'];
  /** Whether the service has read that the operator removed it. */
  isReleased: boolean;
}

/** The model: every file that was ever published, and what became of it. */
export class KnownFiles {
  readonly files = new Map<string, KnownFile>();
  /** The checksums that are blocked, and those that the service knows of. */
  readonly blocked = new Set<string>();
  followed = new Set<string>();

  /** The id of one of the files, in the order of their publication; empty when there is none. */
  choose(index: number): string {
    const ids = [...this.files.keys()];
    return ids[index % ids.length] ?? '';
  }

  publish(id: string, description: UploadDescription): void {
    this.files.set(id, { description, deleteKey: '', state: 'stored', isReleased: false });
  }

  remove(id: string): void {
    const file = this.files.get(id);
    if (file) file.state = 'deleted';
  }

  withdraw(id: string, reason: RemovalMark['reason']): void {
    const file = this.files.get(id);
    if (file) file.state = file.state === 'legal' ? 'legal' : reason;
  }

  /** The service has read the changes of the operator. */
  follow(): void {
    this.followed = new Set(this.blocked);
    for (const file of this.files.values())
      file.isReleased = file.state === 'operator' || file.state === 'legal';
  }

  /** How a request for the file is answered; undefined when it is sent. */
  expectedError(id: string, now: number): ErrorCode | undefined {
    const file = this.files.get(id);
    if (!file) return 'not-found';
    if (file.description.expiresAt <= now) return 'expired';
    const errors = {
      stored: undefined,
      deleted: 'not-found',
      operator: 'removed',
      legal: 'removed-legally',
    } as const;
    return errors[file.state];
  }

  /** What the quota counts: files that have neither expired nor gone, those of the operator until that has been read. */
  counted(now: number, owner?: string): { files: number; bytes: number } {
    const counted = [...this.files.values()].filter(
      ({ description, state, isReleased }) =>
        description.expiresAt > now &&
        state !== 'deleted' &&
        !isReleased &&
        (owner === undefined || description.owner === owner),
    );
    const bytes = counted.reduce((sum, { description }) => sum + occupiedBytes(description), 0);
    return { files: counted.length, bytes };
  }

  /** The ids of the files that must be on the disk. */
  stored(now: number): string[] {
    const stored = [...this.files].filter(
      ([, { state, description }]) => state === 'stored' && description.expiresAt > now,
    );
    return stored.map(([id]) => id);
  }
}

import { AppError, type ErrorCode } from '../../domain/errors.ts';
import type { createPublisher, KeepFile } from '../publish.ts';
import type { LockedUpload } from '../resumable-storage.ts';
import type { Scanner } from '../scanner.ts';
import type { StagedUpload } from '../storage.ts';

/** After these errors a later request can finish the upload. Any other error is final, and removes the upload. */
const TEMPORARY: ErrorCode[] = [
  'storage-full',
  'storage-down',
  'limiter-down',
  'scanner-down',
  'locked',
  'overloaded',
];

interface FinishOptions {
  locked: LockedUpload;
  /** Counts the file in place of the upload, and publishes it. */
  keep: KeepFile;
  publish: ReturnType<typeof createPublisher>;
  scanner: Pick<Scanner, 'open'> | undefined;
  /** Wall clock, ms since 1970. */
  now: () => number;
  deleteKey: string;
  /** Called when the upload is removed. */
  onRemoved: () => void;
}

/** Publishes an upload whose bytes have all arrived, as POST /upload does. */
export async function finishUpload(options: FinishOptions): Promise<void> {
  const { locked, keep, publish, now, deleteKey, onRemoved } = options;
  const { originalname, mimetype, owner, address, lifetimeMs } = locked.state.announced;
  const claims = { originalname, encoding: '7bit', mimetype, owner, address };
  try {
    const staged = await stage(options);
    await publish(staged, keep, { ...claims, expiresAt: now() + lifetimeMs }, deleteKey);
  } catch (error) {
    if (error instanceof AppError && !TEMPORARY.includes(error.code)) {
      await locked.remove();
      onRemoved();
    }
    throw error;
  }
}

/** Hashes the bytes, and has them checked for malware meanwhile. */
async function stage({ locked, scanner }: FinishOptions): Promise<StagedUpload> {
  const scan = await scanner?.open();
  try {
    const staged = await locked.stage(scan?.push);
    await scan?.finish();
    return staged;
  } finally {
    scan?.close();
  }
}

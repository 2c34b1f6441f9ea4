import { AppError, type ErrorCode } from '../../domain/errors.ts';
import type { createPublisher } from '../publish.ts';
import type { Quota } from '../quota.ts';
import type { SpaceReservation } from '../reserve-space.ts';
import { type LockedUpload, usageOf } from '../resumable-storage.ts';
import type { Scanner } from '../scanner.ts';
import type { StagedUpload } from '../storage.ts';

/** After these errors a later request can finish the upload. Any other error is final, and removes the upload. */
const TEMPORARY: ErrorCode[] = ['storage-full', 'storage-down', 'scanner-down', 'locked', 'overloaded'];

interface FinishOptions {
  key: string;
  locked: LockedUpload;
  publish: ReturnType<typeof createPublisher>;
  quota: Quota;
  scanner: Pick<Scanner, 'open'> | undefined;
  /** Wall clock, ms since 1970. */
  now: () => number;
  deleteKey: string;
}

/** Publishes an upload whose bytes have all arrived, as POST /upload does. */
export async function finishUpload(options: FinishOptions): Promise<void> {
  const { key, locked, publish, quota, now, deleteKey } = options;
  const { originalname, mimetype, owner, address, lifetimeMs } = locked.state.announced;
  const claims = { originalname, encoding: '7bit', mimetype, owner, address };
  const usage = usageOf(key, locked.state.announced);
  // The announced length is counted already.
  const keep: SpaceReservation['keep'] = (...file) => quota.replace(usage, ...file);
  try {
    const staged = await stage(options);
    await publish(staged, keep, { ...claims, expiresAt: now() + lifetimeMs }, deleteKey);
  } catch (error) {
    if (error instanceof AppError && !TEMPORARY.includes(error.code)) {
      await locked.remove();
      quota.forget(usage);
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

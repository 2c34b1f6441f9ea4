import { AppError, type ErrorCode } from '../../domain/errors.ts';
import { expiryOf } from '../../domain/upload.ts';
import type { createPublisher } from '../publish.ts';
import type { Quota } from '../quota.ts';
import type { SpaceReservation } from '../reserve-space.ts';
import { type LockedUpload, usageOf } from '../resumable-storage.ts';

/** After these the upload can be finished by a later request. Any other refusal is final, and nothing is kept. */
const TEMPORARY: readonly ErrorCode[] = ['storage-full', 'storage-down', 'locked', 'overloaded', 'not-ready'];

interface FinishOptions {
  key: string;
  locked: LockedUpload;
  publish: ReturnType<typeof createPublisher>;
  quota: Quota;
  /** Wall clock, ms since 1970. */
  now: () => number;
  deleteKey: string;
}

/** Publishes an upload of which all bytes have arrived, as POST /upload does. */
export async function finishUpload({
  key,
  locked,
  publish,
  quota,
  now,
  deleteKey,
}: FinishOptions): Promise<void> {
  const { announced } = locked.state;
  const { originalname, mimetype, owner, lifetimeMs } = announced;
  const claims = { originalname, encoding: '7bit', mimetype, owner, expiresAt: now() + lifetimeMs };
  const usage = usageOf(key, announced);
  const staged = await locked.stage();
  quota.forget(usage);
  const space = reserve(quota, owner, usage.size);
  try {
    await publish(staged, space, claims, deleteKey);
  } catch (error) {
    const isFinal = error instanceof AppError && !TEMPORARY.includes(error.code);
    if (isFinal) await locked.remove();
    else space.keep(usage.size, expiryOf(key) ?? 0);
    throw error;
  } finally {
    space.release();
  }
}

/** Turns what was announced back into a reservation, which the file is then counted from. */
function reserve(quota: Quota, owner: string, bytes: number): SpaceReservation {
  const reservation = quota.reserve(owner, bytes);
  return {
    grow(arrivedBytes) {
      reservation.grow(arrivedBytes);
      return undefined;
    },
    keep: reservation.keep,
    release: reservation.release,
  };
}

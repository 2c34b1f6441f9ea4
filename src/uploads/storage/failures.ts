import { AppError } from '../../domain/errors.ts';
import type { Report } from '../../domain/operational-event.ts';
import { expiryOf, type UploadId } from '../../domain/upload-id.ts';
import { RemovedFileError, type Storage } from '../storage.ts';
import { isAway } from './errors.ts';
import { COLLECTIONS, expiryHourOf, placeOf, RESUMABLE } from './objects.ts';

/**
 * What could not be read or removed while a storage was gone through, with the errors, by the key of the item. A key that
 * ends with a slash, and the empty one, stand for all that is below.
 */
export type Failures = Map<string, unknown>;

/** Resolves with the result of work on an item, or with undefined after it has failed. A storage that is away fails all. */
export async function attempt<Result>(
  failures: Failures,
  key: string,
  work: () => Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await work();
  } catch (error) {
    if (isAway(error)) throw error;
    failures.set(key, error);
    return undefined;
  }
}

/** Whether a file or an upload of this id may still be there although it should have been removed. */
export function mayBeLeft(failures: Failures, id: UploadId): boolean {
  if (failures.size === 0) return false;
  const hour = `${expiryHourOf(expiryOf(id))}/`;
  const place = placeOf(id);
  const keys = [
    '',
    hour,
    place,
    RESUMABLE,
    RESUMABLE + hour,
    `${RESUMABLE}${place}/`,
    COLLECTIONS,
    COLLECTIONS + place,
  ];
  return keys.some((key) => failures.has(key));
}

/** Reports what has failed, if anything: one item with its error, and how many others. */
export function reportFailures(report: Report, doing: string, failures: Failures): void {
  const [[key, error] = []] = failures;
  if (key === undefined) return;
  const others = failures.size > 1 ? ` and ${failures.size - 1} more` : '';
  report({ type: 'store-failed', doing: `${doing} ${key || 'the uploads'}${others}`, error });
}

/** Whether there is a file, damaged or not. Throws the AppError of a storage that cannot tell. */
export async function isStored(storage: Pick<Storage, 'open'>, id: UploadId): Promise<boolean> {
  try {
    return (await storage.open(id)) !== undefined;
  } catch (error) {
    if (error instanceof RemovedFileError) return false;
    if (error instanceof AppError) throw error;
    return true;
  }
}

import { AppError } from '../../domain/errors.ts';

export function hasCode(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}

/** Resolves with the result of an operation on a path, or with undefined when there is nothing at that path. */
export async function unlessMissing<T>(operation: Promise<T>): Promise<T | undefined> {
  try {
    return await operation;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

/** The cause of an AppError of a storage that has answered, and refused. */
export class StorageRefusal extends Error {}

/** Whether a storage is away: what was asked of it need not be asked for another item. */
export const isAway = (error: unknown): boolean =>
  error instanceof AppError && error.code === 'storage-down' && !(error.cause instanceof StorageRefusal);

/** Rejects with AppError `storage-full` when an operation fails because the disk is full, and else as it does. */
export async function orStorageFull<T>(operation: Promise<T>): Promise<T> {
  try {
    return await operation;
  } catch (error) {
    throw hasCode(error, 'ENOSPC', 'EDQUOT') ? storageFull(error) : error;
  }
}

export const isFull = (error: unknown): boolean => error instanceof AppError && error.code === 'storage-full';

/** Lets a storage pass that is full: it works, and answers as it should. */
export function unlessFull(error: unknown): void {
  if (!isFull(error)) throw error;
}

/** AppError `storage-full`. Its message is for the client, its cause for the operator. */
export function storageFull(cause: unknown): AppError {
  const message = 'there is no space for this file at the moment; try again later';
  return new AppError('storage-full', message, { cause });
}

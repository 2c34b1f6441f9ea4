import { AppError } from '../../domain/errors.ts';

/** As S3 and the servers that are like it name them. */
const ABSENT = new Set(['NoSuchKey', 'NotFound', 'NoSuchUpload']);
const FULL = new Set(['QuotaExceeded', 'QuotaExceededException', 'XMinioStorageFull', 'InsufficientStorage']);
const INSUFFICIENT_STORAGE = 507;

interface S3Error extends Error {
  $metadata?: { httpStatusCode?: number };
}

/** What a request yields, or undefined when there is nothing under its key. */
export async function unlessAbsent<T>(request: Promise<T>): Promise<T | undefined> {
  try {
    return await request;
  } catch (error) {
    if (error instanceof Error && ABSENT.has(error.name)) return undefined;
    throw error;
  }
}

/** Puts what goes wrong in words for who uploads or downloads; the operator finds the rest in its cause. */
export async function explainS3<T>(request: Promise<T>): Promise<T> {
  try {
    return await request;
  } catch (error) {
    throw isFull(error as S3Error)
      ? new AppError('storage-full', 'There is no room for this file at the moment. Try again later.', {
          cause: error,
        })
      : new AppError(
          'storage-down',
          'The store for files cannot be reached at the moment. Try again later.',
          {
            cause: error,
          },
        );
  }
}

function isFull({ name, $metadata }: S3Error): boolean {
  return FULL.has(name) || $metadata?.httpStatusCode === INSUFFICIENT_STORAGE;
}

import { type AppError, describeError } from '../../../domain/errors.ts';
import { storageDown } from '../../storage.ts';
import { hasCode, storageFull } from '../errors.ts';
import ADVICE from './advice.json' with { type: 'json' };

/** A range is not in an object that has been replaced by a shorter one. */
const MISSING = ['NoSuchKey', 'NoSuchUpload', 'NotFound', 'InvalidRange'];
/** The names of errors by which compatible servers say that they are full. */
const FULL = /quota|insufficient\w*(?:storage|capacity)|storage\w*full|disk\w*full|nospace/iu;

/** Whether an object or an unfinished upload does not exist, which is an answer and not a failure. */
export function isMissing(error: unknown): boolean {
  return error instanceof Error && MISSING.includes(error.name);
}

/** Resolves with the result of an operation, or with undefined when the object or upload does not exist. */
export function unlessMissing<T>(operation: Promise<T>): Promise<T | undefined> {
  return operation.catch((error: unknown) => {
    if (!isMissing(error)) throw error;
    return undefined;
  });
}

/**
 * AppError `storage-full` or `storage-down`. Its message is for the client; its cause tells the operator what failed and what
 * to do.
 */
export function translateS3Error(error: unknown, label: string): AppError {
  const isFull = statusOf(error) === 507 || hasCode(error, 'ENOSPC') || FULL.test(nameOf(error));
  const advice = isFull ? 'give it more space, or lower UPLOAD_QUOTA' : adviceFor(error);
  const cause = new Error(`${label}: ${nameOf(error)}${describeError(error)}; ${advice}`);
  return isFull ? storageFull(cause) : storageDown(cause);
}

/** Advice by the name or status of the error; the first match applies, and the last one matches any. */
function adviceFor(error: unknown): string {
  const text = `${error instanceof Error ? error.name : ''} ${statusOf(error)}`;
  const [, advice = ''] = ADVICE.find(([pattern = '']) => new RegExp(pattern, 'iu').test(text)) ?? [];
  return advice;
}

/** `AccessDenied, `: the name of an error that S3 answered, which often says more than its message. */
function nameOf(error: unknown): string {
  if (!(error instanceof Error) || statusOf(error) === undefined) return '';
  return `${error.name}, `;
}

function statusOf(error: unknown): number | undefined {
  // Errors of the SDK have this property; on others it is undefined.
  const { $metadata } = error as { $metadata?: { httpStatusCode?: number } };
  return $metadata?.httpStatusCode;
}

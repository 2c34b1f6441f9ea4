import { type AppError, describeError } from '../../../domain/errors.ts';
import { storageDown } from '../../storage.ts';
import { hasCode, storageFull } from '../errors.ts';

const MISSING = ['NoSuchKey', 'NoSuchUpload', 'NotFound'];
/** The names of errors by which compatible servers say that they are full. */
const FULL = /quota|insufficient\w*(?:storage|capacity)|storage\w*full|disk\w*full|nospace/iu;

/** Advice for the operator, by the name or status of the error; the first match applies. */
const ADVICE: [RegExp, string][] = [
  [
    /invalidaccesskey|signaturedoesnotmatch|expiredtoken|invalidtoken|credentials/iu,
    'set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY',
  ],
  [/nosuchbucket/iu, 'create the bucket, or correct UPLOAD_STORAGE_URL'],
  [/requesttimetooskewed/iu, "set this machine's clock"],
  [/redirect|authorizationheadermalformed/iu, 'correct region and endpoint in UPLOAD_STORAGE_URL'],
  [/denied|403/iu, 'let its key list the bucket and its uploads, and read, write and delete in it'],
];
const UNREACHABLE =
  'check that it runs, that this machine can reach it, and the endpoint in UPLOAD_STORAGE_URL';

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
 * AppError `storage-full` or `storage-down`. Its message is for the client; its cause tells the operator what failed
 * and what to do.
 */
export function translateS3Error(error: unknown, label: string): AppError {
  const cause = new Error(`${label}: ${nameOf(error)}${describeError(error)}; ${adviceFor(error)}`);
  if (isFull(error)) return storageFull(cause);
  return storageDown(cause);
}

function isFull(error: unknown): boolean {
  return statusOf(error) === 507 || hasCode(error, 'ENOSPC') || FULL.test(nameOf(error));
}

function adviceFor(error: unknown): string {
  if (isFull(error)) return 'give it more space, or lower UPLOAD_QUOTA';
  const label = `${error instanceof Error ? error.name : ''} ${statusOf(error)}`;
  return ADVICE.find(([pattern]) => pattern.test(label))?.[1] ?? UNREACHABLE;
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

import { AppError, describeError } from '../../../domain/errors.ts';
import { hasCode } from '../disk-errors.ts';
import { noRoom } from '../staged-upload.ts';

const MISSING = ['NoSuchKey', 'NoSuchUpload'];
/** What the many servers that speak S3 call being full. */
const FULL = /quota|insufficient\w*(?:storage|capacity)|storage\w*full|disk\w*full|nospace/iu;

/** What the operator can do, by what S3 or its client calls the trouble; the first that fits. */
const MENDS: [RegExp, string][] = [
  [
    /invalidaccesskey|signaturedoesnotmatch|expiredtoken|invalidtoken|credentials/iu,
    'set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY',
  ],
  [/nosuchbucket/iu, 'make the bucket, or mend UPLOAD_STORAGE_URL'],
  [/requesttimetooskewed/iu, "set this machine's clock"],
  [/redirect|authorizationheadermalformed/iu, 'mend region and endpoint in UPLOAD_STORAGE_URL'],
  [/denied|403/iu, 'let its key list the bucket and its uploads, and read, write and delete in it'],
];
const UNREACHABLE = 'see that it runs, that this machine reaches it, and endpoint in UPLOAD_STORAGE_URL';

/** Whether an object, or an unfinished upload, is not there or no longer: an answer, not a failure. */
export function isMissing(error: unknown): boolean {
  return error instanceof Error && MISSING.includes(error.name);
}

/**
 * AppError `storage-full` or `storage-down`, in words for who uploads or downloads. Its cause is in words for the
 * operator: what failed, and what mends it.
 */
export function explainS3(error: unknown, place: string): AppError {
  const cause = new Error(`${place}: ${nameOf(error)}${describeError(error)}; ${mendOf(error)}`);
  if (isFull(error)) return noRoom(cause);
  return new AppError('storage-down', 'the files cannot be reached at the moment; try again in a while', {
    cause,
  });
}

function isFull(error: unknown): boolean {
  return statusOf(error) === 507 || hasCode(error, 'ENOSPC') || FULL.test(nameOf(error));
}

function mendOf(error: unknown): string {
  if (isFull(error)) return 'give it more room, or lower UPLOAD_QUOTA';
  const trouble = `${error instanceof Error ? error.name : ''} ${statusOf(error)}`;
  return MENDS.find(([pattern]) => pattern.test(trouble))?.[1] ?? UNREACHABLE;
}

/** `AccessDenied, `: of S3's own errors the name says most. */
function nameOf(error: unknown): string {
  if (!(error instanceof Error) || statusOf(error) === undefined) return '';
  return `${error.name}, `;
}

function statusOf(error: unknown): number | undefined {
  const { $metadata } = error as { $metadata?: { httpStatusCode?: number } };
  return $metadata?.httpStatusCode;
}

import { Agent } from 'node:http';
import { Agent as TlsAgent } from 'node:https';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import {
  type $Command,
  type GetObjectCommand,
  S3Client,
  type S3ClientResolvedConfig,
  type ServiceInputTypes,
  type ServiceOutputTypes,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { type AppError, describeError } from '../../../domain/errors.ts';
import { storageDown } from '../../storage.ts';
import { hasCode, StorageRefusal, storageFull } from '../errors.ts';
import type { S3Address } from './address.ts';
import { adviceFor } from './advice.ts';

const CONNECTION_TIMEOUT_MS = 3_000;
const MAX_ATTEMPTS = 3;

interface Timeouts {
  /** Of one attempt. */
  attemptMs: number;
  /** Of all attempts together. */
  totalMs: number;
}
/** For requests without content. */
const DEFAULT_TIMEOUTS: Timeouts = { attemptMs: 5_000, totalMs: 15_000 };
/** For requests that carry the bytes of uploads. */
export const TRANSFER_TIMEOUTS: Timeouts = { attemptMs: 30_000, totalMs: 60_000 };

/** Opens the SDK's client, with a timeout for each request. Opening sends no request. `onFailure`: called after each request that fails. */
export function openClient({ region, endpoint, label }: S3Address, onFailure: () => void) {
  const sdk = new S3Client({
    region,
    ...(endpoint ? { endpoint, forcePathStyle: true } : {}),
    // Many compatible servers refuse these checksums. Amazon does not need them: the signature contains one.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // `Expect: 100-continue` would need a new connection for each request.
    expectContinueHeader: false,
    maxAttempts: MAX_ATTEMPTS,
    requestHandler: {
      connectionTimeout: CONNECTION_TIMEOUT_MS,
      throwOnRequestTimeout: true,
      // A download waits for its client, and holds a connection of its own for as long as that takes.
      socketTimeout: 0,
      httpAgent: new Agent({ keepAlive: true }),
      httpsAgent: new TlsAgent({ keepAlive: true }),
    },
  });

  /**
   * Calls `request` and resolves with its result. Throws AppError `storage-down` or `storage-full`; the SDK's own error
   * when something is missing; and an AbortError when `signal` is aborted.
   */
  async function limit<Answer>(
    request: (options: { abortSignal: AbortSignal; requestTimeout: number }) => Promise<Answer>,
    { attemptMs, totalMs } = DEFAULT_TIMEOUTS,
    signal?: AbortSignal,
  ): Promise<Answer> {
    const timeout = new AbortController();
    const abortSignal = signal ? AbortSignal.any([signal, timeout.signal]) : timeout.signal;
    const timedOut = Promise.withResolvers<never>();
    // It is over once there is an answer, whose body may take longer.
    const timer = setTimeout(() => {
      timedOut.reject(new Error(`no answer within ${totalMs} ms`));
      timeout.abort();
    }, totalMs);
    try {
      const requested = request({ abortSignal, requestTimeout: attemptMs });
      return await Promise.race([requested, timedOut.promise]);
    } catch (error) {
      if (signal?.aborted || isMissing(error)) throw error;
      onFailure();
      throw translateS3Error(error, label);
    } finally {
      clearTimeout(timer);
    }
  }

  return {
    close: () => sdk.destroy(),

    /** Sends a command as `limit` does, and resolves with the answer. */
    send: <Input extends ServiceInputTypes, Answer extends ServiceOutputTypes>(
      command: $Command<Input, Answer, S3ClientResolvedConfig>,
      ...limits: [timeouts?: Timeouts, signal?: AbortSignal]
    ) => limit((options) => sdk.send(command, options), ...limits),

    /** Resolves with an object. The timeout includes the transfer of its bytes. */
    get: (command: GetObjectCommand): Promise<Buffer> =>
      limit(async (options) => buffer((await sdk.send(command, options)).Body as Readable)),

    /** Resolves with an address that answers the command for so many seconds. Sends no request but for credentials. */
    presign: (command: GetObjectCommand, expiresIn: number): Promise<string> =>
      limit(() => getSignedUrl(sdk, command, { expiresIn })),
  };
}

/** A range is not in an object that has been replaced by a shorter one. */
const MISSING = ['NoSuchKey', 'NoSuchUpload', 'NotFound', 'InvalidRange'];
/** The names of errors by which compatible servers say that they are full. */
const FULL = /quota|insufficient\w*(?:storage|capacity)|storage\w*full|disk\w*full|nospace/iu;

/** Whether an object or an unfinished upload does not exist, which is an answer and not a failure. */
export function isMissing(error: unknown): boolean {
  return error instanceof Error && MISSING.includes(error.name);
}

/** Resolves with the result of an operation, or with undefined when the object or upload does not exist. */
export function unlessObjectMissing<T>(operation: Promise<T>): Promise<T | undefined> {
  return operation.catch((error: unknown) => {
    if (!isMissing(error)) throw error;
    return undefined;
  });
}

/**
 * AppError `storage-full` or `storage-down`. Its message is for the client; its cause tells the operator what failed and what
 * to do.
 */
function translateS3Error(error: unknown, label: string): AppError {
  // Errors of the SDK have a status, and a name that often says more than the message.
  const { $metadata, name = '' } = error as { $metadata?: { httpStatusCode?: number }; name?: string };
  const status = $metadata?.httpStatusCode;
  const answered = status === undefined ? '' : `${name}, `;
  const isFull = status === 507 || hasCode(error, 'ENOSPC') || FULL.test(answered);
  const todo = isFull ? 'give it more space, or lower UPLOAD_QUOTA' : adviceFor(name, status);
  // From 502 on it says that it is away; 500 may be the answer for one object alone.
  const isRefused = status !== undefined && status < 502;
  const message = `${label}: ${answered}${describeError(error)}; ${todo}`;
  const cause = isRefused ? new StorageRefusal(message) : new Error(message);
  return isFull ? storageFull(cause) : storageDown(cause);
}

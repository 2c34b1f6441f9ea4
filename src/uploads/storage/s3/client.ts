import { createHash } from 'node:crypto';
import { Agent } from 'node:http';
import { Agent as TlsAgent } from 'node:https';
import { S3Client } from '@aws-sdk/client-s3';
import type { S3Address } from './address.ts';
import { explainS3, isMissing } from './errors.ts';

const CONNECT_LIMIT_MS = 3_000;
const ATTEMPTS = 3;

/** For one try, and for all of them. */
export interface Retry {
  requestTimeout: number;
  limitMs: number;
}
/** Where no more than a description or a listing goes … */
export const BRIEF: Retry = { requestTimeout: 5_000, limitMs: 15_000 };
/** … and where bytes go. */
export const LONG: Retry = { requestTimeout: 30_000, limitMs: 60_000 };

/** Is told of every request what became of it: undefined for any answer, that something is not there too. */
export type OnOutcome = (error: Error | undefined) => void;

export type Client = ReturnType<typeof openClient>;

/** The SDK's client, with nothing in it that waits for ever. Nothing is asked of S3 here. */
export function openClient({ region, endpoint, place }: S3Address, onOutcome: OnOutcome) {
  const sdk = new S3Client({
    region,
    ...(endpoint ? { endpoint, forcePathStyle: true } : {}),
    // Many servers refuse the checksums that Amazon's does not need either: the signature has one.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // Would take a new connection for each request.
    expectContinueHeader: false,
    maxAttempts: ATTEMPTS,
    requestHandler: {
      connectionTimeout: CONNECT_LIMIT_MS,
      throwOnRequestTimeout: true,
      // A download may wait for its client as long as that takes; and each takes a connection.
      socketTimeout: 0,
      httpAgent: new Agent({ keepAlive: true }),
      httpsAgent: new TlsAgent({ keepAlive: true }),
    },
  });
  addMd5(sdk);

  /**
   * Resolves with what `send` does. Rejects with AppError `storage-down` or `storage-full`; with what says that
   * something is missing, as it is; and with an AbortError for `signal`.
   */
  async function ask<Answer>(
    { requestTimeout, limitMs }: Retry,
    send: (options: { abortSignal: AbortSignal; requestTimeout: number }) => Promise<Answer>,
    signal?: AbortSignal,
  ): Promise<Answer> {
    const silence = new AbortController();
    const abortSignal = signal ? AbortSignal.any([signal, silence.signal]) : silence.signal;
    const tooLate = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      tooLate.reject(new Error(`no answer within ${limitMs} ms`));
      silence.abort();
    }, limitMs);
    try {
      const answer = await Promise.race([send({ abortSignal, requestTimeout }), tooLate.promise]);
      onOutcome(undefined);
      return answer;
    } catch (error) {
      if (signal?.aborted) throw error;
      const failure = isMissing(error) ? undefined : explainS3(error, place);
      onOutcome(failure);
      throw failure ?? error;
    } finally {
      clearTimeout(timer);
    }
  }

  return { sdk, ask };
}

/** DeleteObjects must have a checksum, and many servers know only the oldest one. */
function addMd5({ middlewareStack }: S3Client): void {
  middlewareStack.add(
    (next, { commandName }) =>
      (args) => {
        const { headers, body } = args.request as { headers: Record<string, string>; body: unknown };
        if (commandName === 'DeleteObjectsCommand') {
          for (const name of Object.keys(headers))
            if (/^x-amz-(?:sdk-)?checksum/iu.test(name)) delete headers[name];
          headers['Content-MD5'] = createHash('md5').update(String(body)).digest('base64');
        }
        return next(args);
      },
    { step: 'build', priority: 'low', name: 'md5' },
  );
}

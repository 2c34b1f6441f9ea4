import { errorCode } from '../domain/errors.ts';
import { createHttpClient, type HttpClient, parseRetryAfter, readAtMost } from '../network/http-client.ts';
import { createGuardedLookup } from '../network/private-address.ts';

/** The time limit of one attempt, its response included. */
const ATTEMPT_MS = 15_000;

/** The most bytes of a response that are read. */
const MAX_RESPONSE_BYTES = 16 * 1024;

export interface ClientOptions {
  client: Pick<HttpClient, 'fetch'>;
  userAgent: string;
  /** Wall clock, ms since 1970. */
  now: () => number;
  timeoutMs?: number;
}

/** The code of the error for a host with a private address. */
const PRIVATE = 'EPRIVATE';

/**
 * Creates the client that sends messages. Unless private addresses are allowed, connecting to a name that has one fails;
 * `parseReceivers` has refused literal ones.
 */
export function createWebhookClient(allowsPrivate: boolean): HttpClient {
  const lookup = createGuardedLookup(
    () => allowsPrivate,
    () => Object.assign(new Error('the host has a private address'), { code: PRIVATE }),
  );
  return createHttpClient({ timeoutMs: ATTEMPT_MS, lookup });
}

/** Names an error of the client by its code: its message may contain the address. */
function describeFailure(error: unknown): string {
  const code = errorCode(error);
  return code === PRIVATE
    ? 'its host has a private address; set WEBHOOK_PRIVATE=on to allow that'
    : `no answer (${code ?? 'unknown error'})`;
}

/** The start of a response. */
export interface Answer {
  type: 'answered';
  status: number;
  text: string;
  /** From `Retry-After`. */
  retryAfterMs: number;
}

/** Sends a POST. Never throws. Redirects are answers like others: they are not followed. */
export async function postRequest(
  { url, headers, body }: { url: string; headers: Record<string, string>; body: string | Uint8Array },
  { client, userAgent, now, timeoutMs = ATTEMPT_MS }: ClientOptions,
  signal: AbortSignal,
): Promise<Answer | { type: 'failed'; reason: string }> {
  const deadline = AbortSignal.timeout(timeoutMs);
  try {
    const response = await client.fetch(url, {
      method: 'POST',
      body,
      headers: { ...headers, 'user-agent': userAgent },
      signal: AbortSignal.any([signal, deadline]),
    });
    // A short response is read to its end, so that the connection can be used again.
    const { bytes } = await readAtMost(MAX_RESPONSE_BYTES, response.body);
    const retryAfterMs = parseRetryAfter(response.headers.get('retry-after') ?? '', now()) ?? 0;
    return { type: 'answered', status: response.status, text: bytes.toString(), retryAfterMs };
  } catch (error) {
    return {
      type: 'failed',
      reason: deadline.aborted ? `no answer within ${timeoutMs} ms` : describeFailure(error),
    };
  }
}

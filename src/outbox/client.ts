import { errorCode } from '../domain/errors.ts';
import { createHttpClient, type HttpClient, parseRetryAfter, readAtMost } from '../network/http-client.ts';
import { createGuardedLookup } from '../network/private-address.ts';
import type { Outcome } from './receiver.ts';

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

interface PostedRequest {
  url: string;
  headers: Record<string, string>;
  body: string | Uint8Array;
}

/** What answers mean beside 2xx, which is `delivered`. */
interface Meanings {
  gone: readonly number[];
  refused: readonly number[];
  /** The wait that the text of an answer asks for, in ms. */
  readWaitMs?: (text: string) => number | undefined;
}

/** `isDown`: the server fails, and not this request alone. `answer`: what it answered to a request that failed. */
export type PostOutcome = Outcome & { isDown?: boolean; answer?: { status: number; text: string } };

/** Sends a POST. Never throws. Redirects are failures: they are not followed. */
export async function postRequest(
  { url, headers, body }: PostedRequest,
  { client, userAgent, now, timeoutMs = ATTEMPT_MS }: ClientOptions,
  { gone, refused, readWaitMs = () => 0 }: Meanings,
  signal: AbortSignal,
): Promise<PostOutcome> {
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
    const { status } = response;
    const reason = `it answered ${status}`;
    if (response.ok) return { type: 'delivered' };
    if (gone.includes(status)) return { type: 'gone', reason };
    if (refused.includes(status)) return { type: 'refused', reason };
    const text = bytes.toString();
    const retryAfterMs = Math.max(
      parseRetryAfter(response.headers.get('retry-after') ?? '', now()) ?? 0,
      readWaitMs(text) ?? 0,
    );
    const isDown = status === 429 || status >= 500;
    return { type: 'failed', reason, retryAfterMs, isDown, answer: { status, text } };
  } catch (error) {
    const reason = deadline.aborted ? `no answer within ${timeoutMs} ms` : describeFailure(error);
    return { type: 'failed', reason, isDown: true };
  }
}

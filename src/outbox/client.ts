import { errorCode } from '../domain/errors.ts';
import { MINUTE_MS } from '../domain/units.ts';
import { createHttpClient, type HttpClient, parseRetryAfter, readAtMost } from '../network/http-client.ts';
import { createGuardedLookup } from '../network/private-address.ts';
import type { Outcome } from './receiver.ts';
import { MAX_RETRY_AFTER_MS } from './retry.ts';

/** The time limit of one attempt, its response included. */
const ATTEMPT_MS = 15_000;

/** A longer wait that an address asks for between two messages is cut to this. */
const MAX_LIMIT_MS = 10 * MINUTE_MS;

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

/** A POST. */
export interface PostedRequest {
  url: string;
  headers: Record<string, string>;
  body: string | Uint8Array;
}

/** What answers mean beside 2xx, which is `delivered`. */
interface Meanings {
  gone: readonly number[];
  refused: readonly number[];
}

export type PostOutcome = Outcome & {
  tookMs: number;
  /** Whether the server fails, and not this request alone. */
  isDown?: boolean;
  /** Whether the server takes no request from this address for now, not even for another receiver. */
  isGlobal?: boolean;
  /** The answer to a request that was not accepted. */
  answer?: { status: number; text: string };
};

/** Sends these requests until the receiver does not refuse one: the later ones carry less. Never throws. */
export async function postFirstAccepted(
  requests: readonly PostedRequest[],
  ...options: [ClientOptions, Meanings, AbortSignal]
): Promise<PostOutcome> {
  let outcome: PostOutcome = { type: 'failed', reason: 'nothing was sent', tookMs: 0 };
  for (const request of requests) {
    outcome = await postRequest(request, ...options);
    if (outcome.type !== 'refused') break;
  }
  return outcome;
}

/** Sends a POST. Never throws. Redirects are failures: they are not followed. */
export async function postRequest(
  { url, headers, body }: PostedRequest,
  { client, userAgent, now, timeoutMs = ATTEMPT_MS }: ClientOptions,
  { gone, refused }: Meanings,
  signal: AbortSignal,
): Promise<PostOutcome> {
  const deadline = AbortSignal.timeout(timeoutMs);
  const startedAt = performance.now();
  const took = () => ({ tookMs: performance.now() - startedAt });
  try {
    const response = await client.fetch(url, {
      method: 'POST',
      body,
      headers: { ...headers, 'user-agent': userAgent },
      signal: AbortSignal.any([signal, deadline]),
    });
    // A short response is read to its end, so that the connection can be used again.
    const { bytes } = await readAtMost(MAX_RESPONSE_BYTES, response.body);
    const limits = readLimits(response.headers);
    if (response.ok) return { type: 'delivered', waitMs: limits.waitMs, ...took() };
    const { status } = response;
    const text = bytes.toString();
    const said = { reason: `it answered ${status}`, answer: { status, text }, ...took() };
    if (gone.includes(status)) return { type: 'gone', ...said };
    if (refused.includes(status)) return { type: 'refused', ...said };
    const askedMs = Math.max(
      parseRetryAfter(response.headers.get('retry-after') ?? '', now()) ?? 0,
      status === 429 ? Math.max(limits.waitMs ?? 0, parseRetryText(text)) : 0,
    );
    const retryAfterMs = Math.min(askedMs, MAX_RETRY_AFTER_MS);
    const isDown = status >= 500 || (status === 429 && !limits.isOfOne);
    return { type: 'failed', ...said, retryAfterMs, isDown, isGlobal: status === 429 && limits.isGlobal };
  } catch (error) {
    const reason = deadline.aborted ? `no answer within ${timeoutMs} ms` : describeFailure(error);
    return { type: 'failed', reason, isDown: true, ...took() };
  }
}

/** The limits of an address as Discord describes them; `waitMs` where no further request is allowed before. */
function readLimits(headers: Headers): { waitMs: number | undefined; isOfOne: boolean; isGlobal: boolean } {
  const resetMs = Number(headers.get('x-ratelimit-reset-after') ?? Number.NaN) * 1_000;
  const isSpent = headers.get('x-ratelimit-remaining') === '0' && resetMs > 0;
  const scope = headers.get('x-ratelimit-scope');
  const isGlobal = scope === 'global' || headers.get('x-ratelimit-global') === 'true';
  return {
    waitMs: isSpent ? Math.min(Math.ceil(resetMs), MAX_LIMIT_MS) : undefined,
    isOfOne: scope !== null && !isGlobal,
    isGlobal,
  };
}

/** The wait in the body of a 429 of Discord or Telegram, in ms; 0 where there is none. */
function parseRetryText(text: string): number {
  const seconds = /"retry_after"\s*:\s*(\d{1,9}(?:\.\d{1,9})?)/u.exec(text)?.[1];
  return Math.ceil(Number(seconds ?? 0) * 1_000);
}

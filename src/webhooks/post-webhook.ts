import { type HttpClient, parseRetryAfter, type Response } from '../network/http-client.ts';
import { ATTEMPT_MS, describeFailure } from './client.ts';
import { discordRequests } from './discord.ts';
import type { Message } from './message.ts';
import type { ReceiverAddress } from './receiver-address.ts';
import { type RequestOptions, standardRequest, type WebhookRequest } from './standard-webhook.ts';
import { parseTelegramWait, telegramRequests } from './telegram.ts';

/** The most bytes of a response that are read. */
const MAX_RESPONSE_BYTES = 16 * 1024;

/** The result of an attempt. A reason is public, so it contains no address. */
export type Outcome =
  | { type: 'delivered' }
  /** The next attempt may succeed. */
  | { type: 'failed'; reason: string; retryAfterMs?: number | undefined }
  /** A chat refuses this message, and would do so every time. */
  | { type: 'refused'; reason: string }
  /** 410: the receiver wants no more messages. */
  | { type: 'gone'; reason: string };

export interface PostOptions {
  client: Pick<HttpClient, 'fetch'>;
  secret: string | null;
  userAgent: string;
  /** Wall clock, ms since 1970. */
  now: () => number;
  timeoutMs?: number;
}

/** Sends a message once. Never throws. Redirects are failures: they are not followed. */
export async function postWebhook(
  address: ReceiverAddress,
  message: Message,
  options: PostOptions,
  signal: AbortSignal,
): Promise<Outcome> {
  const { secret, now } = options;
  const requests = requestsFor(address, message, { secret, now: now() });
  let outcome: Outcome = { type: 'failed', reason: 'nothing was sent' };
  for (const request of requests) {
    outcome = await post(address, request, options, signal);
    if (outcome.type !== 'refused') break;
  }
  return outcome;
}

/**
 * Returns the requests that can carry a message, the best one first. When a chat refuses a picture that it cannot load,
 * the next request has none.
 */
export function requestsFor(
  address: ReceiverAddress,
  message: Message,
  options: RequestOptions,
): WebhookRequest[] {
  switch (address.kind) {
    case 'discord':
      return discordRequests(address.url, message);
    case 'telegram':
      return telegramRequests(address, message);
    case 'standard':
      return [standardRequest(address.url, message, options)];
  }
}

async function post(
  address: ReceiverAddress,
  request: WebhookRequest,
  options: PostOptions,
  signal: AbortSignal,
): Promise<Outcome> {
  const result = await postRequest(request, options, signal);
  return result.type === 'failed' ? result : readOutcome(address, result);
}

/** The start of a response. */
interface Answer {
  type: 'answered';
  status: number;
  text: string;
  /** From `Retry-After`. */
  retryAfterMs: number;
}

/** Sends a POST. Never throws. Redirects are answers like others: they are not followed. */
export async function postRequest(
  { url, headers, body }: Omit<WebhookRequest, 'body'> & { body: string | Uint8Array },
  { client, userAgent, now, timeoutMs = ATTEMPT_MS }: Omit<PostOptions, 'secret'>,
  signal: AbortSignal,
): Promise<Answer | Extract<Outcome, { type: 'failed' }>> {
  const deadline = AbortSignal.timeout(timeoutMs);
  try {
    const response = await client.fetch(url, {
      method: 'POST',
      body,
      headers: { ...headers, 'user-agent': userAgent },
      signal: AbortSignal.any([signal, deadline]),
    });
    const text = await readStart(response);
    const retryAfterMs = parseRetryAfter(response.headers.get('retry-after') ?? '', now()) ?? 0;
    return { type: 'answered', status: response.status, text, retryAfterMs };
  } catch (error) {
    return {
      type: 'failed',
      reason: deadline.aborted ? `no answer within ${timeoutMs} ms` : describeFailure(error),
    };
  }
}

function readOutcome({ kind }: ReceiverAddress, { status, text, retryAfterMs }: Answer): Outcome {
  if (status >= 200 && status < 300) return { type: 'delivered' };
  const reason = `it answered ${status}`;
  if (status === 410) return { type: 'gone', reason };
  if (status === 400 && kind !== 'standard') return { type: 'refused', reason };
  const chatWaitMs = kind === 'telegram' ? (parseTelegramWait(text) ?? 0) : 0;
  return { type: 'failed', reason, retryAfterMs: Math.max(retryAfterMs, chatWaitMs) };
}

/** Reads a short response to its end, so that the connection can be used again, and leaves the rest of a long one. */
async function readStart(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.byteLength;
    if (length > MAX_RESPONSE_BYTES) break;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

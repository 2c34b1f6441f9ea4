import type { HttpClient } from '../outbound/http-client.ts';
import { retryWaitMs } from '../webhooks/delivery.ts';
import { type Outcome, postRequest } from '../webhooks/post-webhook.ts';
import { encryptMessage } from './encrypt.ts';
import type { PushMessage } from './push-message.ts';
import { MAX_AGE_MS } from './push-progress.ts';
import { isAllowedEndpoint, type Subscription } from './subscription.ts';

/** The time limit of one attempt. Push services answer before they reach the browser. */
const TIMEOUT_MS = 10_000;
/** After so many failures in a row, messages to a push service wait. */
const MAX_FAILURES = 5;
/** How many failing push services are remembered. */
const MAX_SERVICES = 10_000;

/** Sends a message once. Never rejects. */
export type PostPush = (
  subscription: Subscription,
  message: PushMessage,
  signal: AbortSignal,
) => Promise<Outcome>;

interface PostPushOptions {
  client: Pick<HttpClient, 'fetch'>;
  /** The header `Authorization` for a push service. */
  authorize: (origin: string, now: number) => string;
  allowsPrivate: boolean;
  userAgent: string;
  random: () => number;
  /** Wall clock, ms since 1970. */
  now: () => number;
}

/**
 * Creates the function that sends messages. One that fails again and again, or asks for it, gets none for a while, so that
 * it does not hold up the others.
 */
export function createPostPush(options: PostPushOptions): PostPush {
  const { random, now } = options;
  const failing = new Map<string, { failures: number; until: number }>();

  /** Of attempts that fail together, only those before the pause count. */
  function noteOutcome(origin: string, outcome: Outcome): void {
    if (outcome.type !== 'failed') return void failing.delete(origin);
    const { failures, until } = failing.get(origin) ?? { failures: 0, until: 0 };
    if (until > now()) return;
    const waitMs = retryWaitMs(failures + 2 - MAX_FAILURES, outcome.retryAfterMs ?? 0, { random });
    if (failing.size >= MAX_SERVICES) failing.clear();
    const isPaused = failures + 1 >= MAX_FAILURES;
    failing.set(origin, { failures: failures + 1, until: isPaused ? now() + waitMs : 0 });
  }

  return async (subscription, message, signal) => {
    const url = new URL(subscription.endpoint);
    if (!isAllowedEndpoint(url, options.allowsPrivate)) return { type: 'gone', reason: 'it is not public' };
    const waitMs = (failing.get(url.origin)?.until ?? 0) - now();
    if (waitMs > 0) return { type: 'failed', reason: `${url.origin} fails`, retryAfterMs: waitMs };
    const outcome = await post(subscription, message, options, signal);
    if (!signal.aborted) noteOutcome(url.origin, outcome);
    return outcome;
  };
}

async function post(
  { endpoint, keys }: Subscription,
  message: PushMessage,
  { client, authorize, userAgent, now }: PostPushOptions,
  signal: AbortSignal,
): Promise<Outcome> {
  const { origin } = new URL(endpoint);
  const headers = {
    'content-type': 'application/octet-stream',
    'content-encoding': 'aes128gcm',
    authorization: authorize(origin, now()),
    ttl: String(MAX_AGE_MS / 1_000),
    urgency: 'normal',
    // The push service replaces a message that it still has by the same one.
    topic: message.id,
  };
  const request = { url: endpoint, headers, body: encryptMessage(JSON.stringify(message), keys) };
  const result = await postRequest(request, { client, userAgent, now, timeoutMs: TIMEOUT_MS }, signal);
  if (result.type === 'failed') return { ...result, reason: `${origin}: ${result.reason}` };
  const { status, retryAfterMs } = result;
  if (status >= 200 && status < 300) return { type: 'delivered' };
  const reason = `${origin} answered ${status}`;
  if (status === 404 || status === 410) return { type: 'gone', reason };
  return status === 400 || status === 413
    ? { type: 'refused', reason }
    : { type: 'failed', reason, retryAfterMs };
}

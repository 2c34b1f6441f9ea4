import type { HttpClient } from '../network/http-client.ts';
import { type Outcome, postRequest } from '../webhooks/post-webhook.ts';
import { encryptMessage } from './encrypt.ts';
import type { PushMessage } from './push-message.ts';
import { MAX_AGE_MS } from './push-progress.ts';
import { isAllowedEndpoint, type Subscription } from './subscription.ts';

/** The time limit of one attempt. Push services answer before they reach the browser. */
const TIMEOUT_MS = 5_000;
/** After so many failures in a row, a push service gets no message for a while, so that it does not hold up the others. */
const MAX_FAILURES = 5;
const PAUSE_MS = 20_000;
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
  timeoutMs?: number;
  /** Wall clock, ms since 1970. */
  now: () => number;
}

/** Creates the function that sends messages. */
export function createPostPush(options: PostPushOptions): PostPush {
  const { now } = options;
  const failing = new Map<string, { failures: number; until: number }>();

  /** That a subscription is refused says nothing about its push service. */
  function noteOutcome(origin: string, { isDown }: PushOutcome): void {
    if (!isDown) return void failing.delete(origin);
    const failures = (failing.get(origin)?.failures ?? 0) + 1;
    if (failing.size >= MAX_SERVICES) failing.clear();
    failing.set(origin, { failures, until: failures < MAX_FAILURES ? 0 : now() + PAUSE_MS });
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

/** `isDown`: the push service fails, and not this subscription alone. */
type PushOutcome = Outcome & { isDown?: boolean };

async function post(
  { endpoint, keys }: Subscription,
  message: PushMessage,
  { client, authorize, userAgent, timeoutMs = TIMEOUT_MS, now }: PostPushOptions,
  signal: AbortSignal,
): Promise<PushOutcome> {
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
  const result = await postRequest(request, { client, userAgent, now, timeoutMs }, signal);
  if (result.type === 'failed') return { ...result, reason: `${origin}: ${result.reason}`, isDown: true };
  const { status, retryAfterMs } = result;
  if (status >= 200 && status < 300) return { type: 'delivered' };
  const reason = `${origin} answered ${status}`;
  if (status === 404 || status === 410) return { type: 'gone', reason };
  return status === 400 || status === 413
    ? { type: 'refused', reason }
    : { type: 'failed', reason, retryAfterMs, isDown: status === 429 || status >= 500 };
}

import type { PushMessage } from '../../domain/push-message.ts';
import { excerpt } from '../../domain/text.ts';
import { type ClientOptions, type PostOutcome, postRequest } from '../client.ts';
import { MAX_AGE_MS } from '../news.ts';
import { encryptMessage } from './encrypt.ts';
import { isAllowedEndpoint, type Subscription } from './subscription.ts';

/** The time limit of one attempt. Push services answer before they reach the browser. */
const TIMEOUT_MS = 5_000;

/** The result of an attempt. `denial`: why the push service does not accept this installation. */
export type PushOutcome = PostOutcome & { denial?: string };

/** Sends a message once. Never rejects. */
export type PostPush = (
  subscription: Subscription,
  message: PushMessage,
  signal: AbortSignal,
) => Promise<PushOutcome>;

interface PostPushOptions extends ClientOptions {
  /** The header `Authorization` for a push service. */
  authorize: (origin: string, now: number) => string;
  allowsPrivate: boolean;
}

/** Creates the function that sends messages. */
export function createPostPush(options: PostPushOptions): PostPush {
  const { authorize, allowsPrivate, timeoutMs = TIMEOUT_MS, now } = options;
  return async ({ endpoint, keys }, message, signal) => {
    const url = new URL(endpoint);
    if (!isAllowedEndpoint(url, allowsPrivate))
      return { type: 'gone', reason: 'it is not public', tookMs: 0 };
    const { origin } = url;
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
    const meanings = { gone: [404, 410], refused: [400, 413] };
    const { answer, ...outcome } = await postRequest(request, { ...options, timeoutMs }, meanings, signal);
    if (outcome.type === 'delivered') return outcome;
    const denial = answer && DENIALS.includes(answer.status) ? describeDenial(answer, endpoint) : undefined;
    return { ...outcome, reason: `${origin}: ${outcome.reason}`, ...(denial && { denial }) };
  };
}

/** The push service does not accept the token, and so the configuration that it is made of. */
const DENIALS = [401, 403];
const MAX_EXCERPT = 200;

/** The status and the text of an answer, without the endpoint, which is a secret of the browser. */
function describeDenial({ status, text }: { status: number; text: string }, endpoint: string): string {
  const plain = text.replaceAll(endpoint, '***').replaceAll(/<[^>]*>/gu, ' ');
  const said = excerpt(plain, MAX_EXCERPT);
  return said ? `${status} ${said}` : String(status);
}

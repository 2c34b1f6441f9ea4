import { type Answer, type ClientOptions, postRequest } from '../client.ts';
import type { Outcome } from '../receiver.ts';
import { discordRequests } from './discord.ts';
import type { Message } from './message.ts';
import type { ReceiverAddress } from './receiver-address.ts';
import { type RequestOptions, standardRequest, type WebhookRequest } from './standard-webhook.ts';
import { parseTelegramWait, telegramRequests } from './telegram.ts';

export interface PostOptions extends ClientOptions {
  secret: string | null;
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
    const result = await postRequest(request, options, signal);
    outcome = result.type === 'failed' ? result : readOutcome(address, result);
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

function readOutcome({ kind }: ReceiverAddress, { status, text, retryAfterMs }: Answer): Outcome {
  if (status >= 200 && status < 300) return { type: 'delivered' };
  const reason = `it answered ${status}`;
  if (status === 410) return { type: 'gone', reason };
  if (status === 400 && kind !== 'standard') return { type: 'refused', reason };
  const chatWaitMs = kind === 'telegram' ? (parseTelegramWait(text) ?? 0) : 0;
  return { type: 'failed', reason, retryAfterMs: Math.max(retryAfterMs, chatWaitMs) };
}

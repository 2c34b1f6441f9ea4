import { type ClientOptions, postRequest } from '../client.ts';
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
  const meanings = {
    gone: [410],
    refused: address.kind === 'standard' ? [] : [400],
    ...(address.kind === 'telegram' && { readWaitMs: parseTelegramWait }),
  };
  let outcome: Outcome = { type: 'failed', reason: 'nothing was sent' };
  for (const request of requestsFor(address, message, { secret, now: now() })) {
    outcome = await postRequest(request, options, meanings, signal);
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

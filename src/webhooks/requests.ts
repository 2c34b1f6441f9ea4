import { discordRequests } from './discord.ts';
import type { Message } from './message.ts';
import type { ReceiverAddress } from './receiver-address.ts';
import { standardRequest } from './standard-webhook.ts';
import { telegramRequests } from './telegram.ts';

/** A POST that carries a message. */
export interface WebhookRequest {
  url: string;
  headers: Record<string, string>;
  body: string;
}

export interface RequestOptions {
  /** Of Standard Webhooks; null for messages without a signature. */
  secret: string | null;
  /** The moment of the attempt, ms since 1970. */
  now: number;
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

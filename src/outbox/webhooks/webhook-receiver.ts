import { hash } from 'node:crypto';
import type { EventContext } from '../../publishing/events.ts';
import { type ClientOptions, type PostedRequest, type PostOutcome, postFirstAccepted } from '../client.ts';
import { type Cursor, eventsAfter, type Log, moveTo, noticesAfter } from '../cursor.ts';
import type { Receiver, ReceiverState } from '../receiver.ts';
import type { Services } from '../services.ts';
import { discordMessageRequests } from './discord.ts';
import { eventMessage, type Message, noticeMessage } from './message.ts';
import { nameReceivers, type ReceiverAddress } from './receiver-address.ts';
import { type RequestOptions, standardRequest } from './standard-webhook.ts';
import { telegramRequests } from './telegram.ts';

interface PostOptions extends ClientOptions {
  secret: string | null;
}

export interface WebhookOptions extends PostOptions {
  /** What events show at the moment that is not kept with them. */
  eventContext: () => EventContext;
}

/** The addresses of WEBHOOK_URLS as receivers. Each gets one message at a time. */
export function createWebhookReceivers(
  addresses: readonly ReceiverAddress[],
  options: WebhookOptions,
): Receiver[] {
  const names = nameReceivers(addresses);
  return addresses.map((address, index): Receiver => {
    // The names are in the order of the addresses, so each index exists.
    const name = names[index]!;
    const key = receiverKey(address);
    return {
      key,
      name,
      open: ({ log, state, services, aborting }) => ({
        next() {
          const { message, after } = nextMessage(log(), state(), options.eventContext()) ?? {};
          if (!message || !after) return undefined;
          const sent = { type: 'webhook-sent' as const, receiver: name, message: message.type };
          const post = () => postWebhook(address, message, options, aborting);
          return { after, sent, send: () => inPlace(services, key, post) };
        },
      }),
    };
  });
}

/** Makes an attempt in a place of its own. The state of the receiver has its pauses. */
async function inPlace(
  services: Services,
  service: string,
  post: () => Promise<PostOutcome>,
): Promise<PostOutcome> {
  const { promise, resolve } = Promise.withResolvers<PostOutcome>();
  await services.begin({
    service,
    async attempt() {
      const outcome = await post();
      resolve(outcome);
      return { isDown: false, tookMs: outcome.tookMs, pauseMs: 0 };
    },
  });
  return promise;
}

/** A digest of the address, because that is a secret. */
export function receiverKey(address: ReceiverAddress): string {
  return hash('sha256', JSON.stringify(address), 'hex').slice(0, 32);
}

/** The next event or the next notice, whichever happened first; of two at the same time, the event. */
function nextMessage(
  log: Log,
  state: ReceiverState,
  context: EventContext,
): { message: Message; after: Cursor } | undefined {
  const [event] = eventsAfter(log, state);
  const [notice] = noticesAfter(log, state);
  if (event && (!notice || event.at <= notice.at))
    return { message: eventMessage(event, context), after: moveTo(log, state, event) };
  return notice && { message: noticeMessage(notice), after: moveTo(log, state, undefined, notice) };
}

/** Sends a message once. Never throws. Redirects are failures: they are not followed. */
export async function postWebhook(
  address: ReceiverAddress,
  message: Message,
  options: PostOptions,
  signal: AbortSignal,
): Promise<PostOutcome> {
  const { secret, now } = options;
  const meanings = { gone: [410], refused: address.kind === 'standard' ? [] : [400] };
  const requests = requestsFor(address, message, { secret, now: now() });
  return postFirstAccepted(requests, options, meanings, signal);
}

/**
 * Returns the requests that can carry a message, the best one first. When a chat refuses a picture that it cannot load,
 * the next request has none.
 */
export function requestsFor(
  address: ReceiverAddress,
  message: Message,
  options: RequestOptions,
): PostedRequest[] {
  switch (address.kind) {
    case 'discord':
      return discordMessageRequests(address.url, message);
    case 'telegram':
      return telegramRequests(address, message);
    case 'standard':
      return [standardRequest(address.url, message, options)];
  }
}

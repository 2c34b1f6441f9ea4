import { hash } from 'node:crypto';
import type { IdsOf } from '../../publishing/api.ts';
import { type Cursor, eventsAfter, type Log, moveTo, noticesAfter } from '../cursor.ts';
import type { Receiver, ReceiverState } from '../receiver.ts';
import { eventMessage, type Message, noticeMessage } from './message.ts';
import { type PostOptions, postWebhook } from './post-webhook.ts';
import { nameReceivers, type ReceiverAddress } from './receiver-address.ts';

/** The addresses of WEBHOOK_URLS as receivers. Each gets one message at a time. */
export function createWebhookReceivers(
  addresses: readonly ReceiverAddress[],
  options: PostOptions & { idsOf?: IdsOf },
): Receiver[] {
  const names = nameReceivers(addresses);
  return addresses.map((address, index): Receiver => {
    // The names are in the order of the addresses, so each index exists.
    const name = names[index]!;
    return {
      key: receiverKey(address),
      name,
      next(log, state) {
        const { message, after } = nextMessage(log, state, options.idsOf) ?? {};
        if (!message || !after) return undefined;
        const sent = { type: 'webhook-sent' as const, receiver: name, message: message.type };
        return { after, sent, send: ({ aborting }) => postWebhook(address, message, options, aborting) };
      },
    };
  });
}

/** A digest of the address, because that is a secret. */
export function receiverKey(address: ReceiverAddress): string {
  return hash('sha256', JSON.stringify(address), 'hex').slice(0, 32);
}

/** The next event or the next notice, whichever happened first; of two at the same time, the event. */
function nextMessage(
  log: Log,
  state: ReceiverState,
  idsOf?: IdsOf,
): { message: Message; after: Cursor } | undefined {
  const [event] = eventsAfter(log, state);
  const [notice] = noticesAfter(log, state);
  if (event && (!notice || event.at <= notice.at))
    return { message: eventMessage(event, idsOf?.(event.slug)), after: moveTo(log, state, event) };
  return notice && { message: noticeMessage(notice), after: moveTo(log, state, undefined, notice) };
}

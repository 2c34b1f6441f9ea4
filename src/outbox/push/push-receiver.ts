import type { Report } from '../../domain/operational-event.ts';
import type { PushMessage } from '../../domain/push-message.ts';
import type { Rows } from '../../store/store.ts';
import { createCounts } from '../counts.ts';
import type { Receiver } from '../receiver.ts';
import { createRecipients } from '../recipients.ts';
import type { Denials } from './denials.ts';
import type { PostPush } from './post-push.ts';
import { createPushMessage } from './push-message.ts';
import type { Subscription } from './subscription.ts';

/** With the waits between them, some five minutes. */
const MAX_ATTEMPTS = 7;

interface PushReceiverOptions {
  rows: Rows;
  post: PostPush;
  /** The address of our cover of an anime, where one is kept. */
  coverOf?: (slug: string) => string | undefined;
  denials: Pick<Denials, 'note' | 'save'>;
  report: Report;
  maxAttempts?: number;
}

/** All subscriptions to Web Push as one receiver: each gets one message about all that is new of the anime that it follows. */
export function createPushReceiver(options: PushReceiverOptions): Receiver {
  const { rows, post, coverOf, denials, report, maxAttempts = MAX_ATTEMPTS } = options;
  const counts = createCounts((counted) => {
    void denials.save();
    report({ type: 'push-sent', ...counted });
  });
  return createRecipients<Subscription, PushMessage>({
    key: 'push',
    rows,
    parse: (text) => JSON.parse(text),
    serviceOf: originOf,
    compose(subscription, news, { renamed }) {
      const message = createPushMessage(news, subscription.slugs, renamed, coverOf);
      // There is an event: `news` is not empty.
      return message && { message, upTo: news.at(-1)! };
    },
    async post(subscription, message, { aborting }) {
      const { denial, ...outcome } = await post(subscription, message, aborting);
      if (outcome.type === 'delivered' || denial) denials.note(originOf(subscription), denial);
      return outcome;
    },
    maxAttempts,
    ...counts,
  });
}

const originOf = ({ endpoint }: Subscription) => new URL(endpoint).origin;

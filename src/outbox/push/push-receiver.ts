import { setImmediate as nextTurn } from 'node:timers/promises';
import type { AnimeEvent } from '../../domain/event.ts';
import type { Report } from '../../domain/operational-event.ts';
import { nameOf } from '../../store/event-position.ts';
import type { Rows } from '../../store/store.ts';
import { eventsAfter, type Log, moveTo } from '../cursor.ts';
import type { Outcome, Receiver, SendSignals } from '../receiver.ts';
import type { Denials } from './denials.ts';
import type { PostPush } from './post-push.ts';
import { createPushMessage, listNews, MAX_AGE_MS } from './push-message.ts';
import { createPushServices } from './push-services.ts';
import type { Subscription } from './subscription.ts';

const PAGE_ROWS = 500;
/** The progress is stored after so many messages: a crash repeats at most these, and those under way. */
const SAVE_EVERY = 200;
/** How long the counts of messages that were sent again are gathered. */
const REPORT_MS = 5_000;

const NOTHING_SENT = { delivered: 0, failed: 0, gone: 0, dropped: 0, reason: null as string | null };

type Row = [key: string, text: string];

interface RoundOptions extends SendSignals, Pick<Log, 'renamed'> {
  save(doneUpTo: string): Promise<void>;
}

interface PushReceiverOptions {
  rows: Rows;
  post: PostPush;
  /** The address of our cover of an anime, where one is kept. */
  coverOf?: (slug: string) => string | undefined;
  denials: Pick<Denials, 'note' | 'save'>;
  report: Report;
  /** Wall clock, ms since 1970. */
  now: () => number;
  services?: Partial<Parameters<typeof createPushServices>[0]>;
}

/**
 * All subscriptions to Web Push as one receiver. A delivery is a round over them: each that follows one of the anime gets one
 * message about all that is new. What its push service does not accept is sent again apart from the rounds.
 */
export function createPushReceiver(options: PushReceiverOptions) {
  const { rows, post, denials, report, now, services: settings } = options;
  let counts = NOTHING_SENT;
  let reporting: NodeJS.Timeout | undefined;
  const services = createPushServices({
    ...settings,
    onFailure: (reason) => count('failed', { reason }),
  });

  function count(what: 'delivered' | 'failed' | 'gone' | 'dropped', why: { reason?: string } = {}): void {
    counts = { ...counts, [what]: counts[what] + 1, ...why };
    reporting ??= setTimeout(reportCounts, REPORT_MS, true);
  }

  function reportCounts(isRetry: boolean): void {
    clearTimeout(reporting);
    reporting = undefined;
    void denials.save();
    if (counts !== NOTHING_SENT) report({ type: 'push-sent', isRetry, ...counts });
    counts = NOTHING_SENT;
  }

  async function note(key: string, { type }: Outcome): Promise<void> {
    count(type === 'delivered' || type === 'gone' ? type : 'dropped');
    // What cannot be removed now is found again with the next message.
    if (type === 'gone') await rows.remove(key).catch(() => {});
  }

  async function* readRows(after: string): AsyncGenerator<Row> {
    for (let last: string | undefined = after; last !== undefined; ) {
      const page: Row[] = await rows.after(last, PAGE_ROWS);
      yield* page;
      last = page.at(-1)?.[0];
      // A store may answer without giving way to other work of this thread.
      await nextTurn();
    }
  }

  /**
   * Tells all rows after a key. Calls `save` from time to time with a key: all rows up to it are done. Resolves with whether
   * there is no further row; it begins none once `ending` is aborted.
   */
  async function sendRound(
    news: readonly AnimeEvent[],
    after: string,
    { renamed, save, ending, aborting }: RoundOptions,
  ) {
    /** In the order of their start, the messages under way, each with the key before it. */
    const underWay = new Map<string, { before: string; ended: Promise<void> }>();
    let last = after;
    let count = 0;
    const saveProgress = () => save(underWay.values().next().value?.before ?? last);

    for await (const [key, text] of readRows(after)) {
      if (ending.aborted) break;
      const subscription: Subscription = JSON.parse(text);
      const message = createPushMessage(news, subscription.slugs, renamed);
      if (message) {
        const { origin } = new URL(subscription.endpoint);
        const { ended } = await services.begin({
          origin,
          async send() {
            const outcome = await post(subscription, message, aborting);
            if (outcome.type === 'delivered' || outcome.denial) denials.note(origin, outcome.denial);
            return outcome;
          },
          onEnd: (outcome) => note(key, outcome),
        });
        const forget = (isDone: boolean) => {
          if (isDone || !ending.aborted) underWay.delete(key);
        };
        underWay.set(key, { before: last, ended: ended.then(forget) });
        count += 1;
      }
      last = key;
      if (message && count % SAVE_EVERY === 0) await saveProgress();
    }
    await Promise.all([...underWay.values()].map(({ ended }) => ended));
    await saveProgress();
    return !ending.aborted;
  }

  const receiver: Receiver = {
    key: 'push',
    name: 'push',
    next(log, state, save) {
      const events = eventsAfter(log, state);
      const [to = '', after = ''] = state.progress?.split(' ') ?? [];
      const end = events.findIndex((event) => nameOf(log.epoch, event) === to);
      // A round that was begun goes on with the events that it had.
      const batch = end < 0 ? events : events.slice(0, end + 1);
      const last = batch.at(-1);
      if (!last) return undefined;
      const name = nameOf(log.epoch, last);
      const news = listNews(log, batch)
        .filter(({ at }) => at >= now() - MAX_AGE_MS)
        .map((event) => withCover(event, options.coverOf?.(event.slug)));
      return {
        after: moveTo(log, state, last),
        async send(signals) {
          const options = { ...signals, renamed: log.renamed, save: (key: string) => save(`${name} ${key}`) };
          const isWhole = news.length === 0 || (await sendRound(news, end < 0 ? '' : after, options));
          reportCounts(false);
          return isWhole ? { type: 'delivered' } : { type: 'failed', reason: 'it was stopped' };
        },
      };
    },
  };
  return {
    receiver,
    stop() {
      services.stop();
      clearTimeout(reporting);
    },
  };
}

function withCover<Event extends AnimeEvent>(event: Event, image: string | undefined): Event {
  return image === undefined ? event : { ...event, image };
}

import { setImmediate as nextTurn } from 'node:timers/promises';
import { abortAfter } from '../crawler/leased-job.ts';
import type { SnapshotStore } from '../crawler/snapshot-store.ts';
import type { AnimeEvent } from '../domain/event.ts';
import type { Report } from '../domain/operational-event.ts';
import { MINUTE_MS } from '../domain/units.ts';
import { MAX_RETRY_AFTER_MS } from '../webhooks/delivery.ts';
import type { Outcome } from '../webhooks/post-webhook.ts';
import type { QueueContent } from '../webhooks/queue.ts';
import type { PostPush } from './post-push.ts';
import { createPushMessage, isNews } from './push-message.ts';
import { MAX_AGE_MS, type PushProgress, saveProgress, toCurrentQueue } from './push-progress.ts';
import type { Subscription } from './subscription.ts';
import { type Row, workThrough } from './work-through.ts';

const PAGE_ROWS = 500;
/** The most late messages that are tried again before the next look for news. */
const MAX_RETRIES = 500;
/** How long messages under way may take when the process stops. */
const STOP_MS = 2_000;
/** The shortest and the longest wait before another attempt. In between, it is as long as the failure has lasted. */
const MIN_WAIT_MS = 5_000;
const MAX_WAIT_MS = 30 * MINUTE_MS;
const JITTER = 0.2;

export interface RoundsOptions {
  store: SnapshotStore;
  post: PostPush;
  /** From 0 to 1. */
  random: () => number;
  report: Report;
  /** Wall clock, ms since 1970. */
  now: () => number;
}

/**
 * Sends news in rounds over all subscriptions, and late messages apart from them: a subscription whose message was not
 * accepted is late until it gets one about everything since then. No message is begun once `signal` is aborted.
 */
export function createRounds(options: RoundsOptions, loaded: PushProgress, signal: AbortSignal) {
  const { store, post, random, report, now } = options;
  const attempts = abortAfter(signal, STOP_MS);
  let progress = loaded;
  let counts = { delivered: 0, failed: 0, gone: 0, dropped: 0 };
  let lastFailure: string | null = null;

  async function save(): Promise<void> {
    progress = { ...progress, usedAt: now() };
    await saveProgress(store, progress);
  }

  const through = (rows: AsyncIterable<Row>, work: (row: Row) => Promise<void>, after = '') =>
    workThrough(rows, work, { after, signal, onProgress });

  async function onProgress(doneUpTo: string): Promise<void> {
    if (progress.round) progress = { ...progress, round: { ...progress.round, after: doneUpTo } };
    await save();
  }

  /** Sends what is due. Resolves with whether nothing was. Rejects when the store fails. */
  async function next(content: QueueContent): Promise<boolean> {
    progress = toCurrentQueue(progress, content, now());
    const due = listDue();
    const isRound = progress.round !== null || progress.event < content.lastEvent;
    if (isRound) await sendRound(content);
    else if (due.length > 0) await sendLate(content, due);
    else return true;
    reportCounts(!isRound);
    return false;
  }

  async function sendRound(content: QueueContent): Promise<void> {
    const { to, after } = progress.round ?? { to: content.lastEvent, after: '' };
    const { event: from } = progress;
    const events = eventsBetween(content, from, to);
    if (events.some(isNews)) {
      progress = { ...progress, round: { to, after } };
      const sendRow = async ([key, text]: Row) => {
        if (!progress.late[key]) await send(key, text, events, from);
      };
      const doneUpTo = await through(readRows(after), sendRow, after);
      if (signal.aborted) return onProgress(doneUpTo);
    }
    progress = { ...progress, event: to, round: null };
    await save();
  }

  async function* readRows(after: string): AsyncGenerator<Row> {
    for (let last: string | undefined = after; last !== undefined; ) {
      const rows: Row[] = await store.subscriptions.after(last, PAGE_ROWS);
      yield* rows;
      last = rows.at(-1)?.[0];
      // A store may answer without giving way to other work of this thread.
      await nextTurn();
    }
  }

  function listDue(): string[] {
    // A time that is further away was stored before the clock was set back.
    const isDue = (at: number) => at <= now() || at > now() + 2 * MAX_RETRY_AFTER_MS;
    const due = Object.entries(progress.late).filter(([, { nextAttemptAt }]) => isDue(nextAttemptAt));
    return due.slice(0, MAX_RETRIES).map(([key]) => key);
  }

  async function sendLate(content: QueueContent, keys: readonly string[]): Promise<void> {
    async function* readLate(): AsyncGenerator<Row> {
      for (const key of keys) yield [key, (await store.subscriptions.get(key)) ?? ''];
    }
    await through(readLate(), async ([key, text]) => {
      const from = progress.late[key]?.event ?? progress.event;
      const isSent =
        text !== '' && (await send(key, text, eventsBetween(content, from, progress.event), from));
      if (!isSent) delete progress.late[key];
    });
    await save();
  }

  /** The events of the last day between two numbers, the first of them not included. */
  function eventsBetween({ events }: QueueContent, from: number, to: number): AnimeEvent[] {
    const oldest = now() - MAX_AGE_MS;
    return events.filter(({ number, at }) => number > from && number <= to && at >= oldest);
  }

  /** Sends a subscription what is new for it. Resolves with false when nothing is. */
  async function send(
    key: string,
    text: string,
    events: readonly AnimeEvent[],
    from: number,
  ): Promise<boolean> {
    const subscription: Subscription = JSON.parse(text);
    const message = createPushMessage(events, subscription.slugs);
    if (!message) return false;
    await note(key, await post(subscription, message, attempts), from);
    return true;
  }

  async function note(key: string, outcome: Outcome, from: number): Promise<void> {
    if (outcome.type === 'failed') return noteFailure(key, outcome, from);
    delete progress.late[key];
    if (outcome.type === 'delivered') progress.deliveredAt = now();
    if (outcome.type === 'gone') await store.subscriptions.remove(key);
    counts[outcome.type === 'refused' ? 'dropped' : outcome.type] += 1;
  }

  /** A subscription that has failed for a day is forgotten if others were reached meanwhile; its browser renews it. */
  async function noteFailure(key: string, failure: Extract<Outcome, { type: 'failed' }>, from: number) {
    const { since } = progress.late[key] ?? { since: now() };
    const waitMs = waitAfter(now() - since, failure.retryAfterMs);
    counts.failed += 1;
    lastFailure = failure.reason;
    if (now() + waitMs < since + MAX_AGE_MS) {
      progress.late[key] = { event: from, since, nextAttemptAt: now() + waitMs };
      return;
    }
    delete progress.late[key];
    counts.dropped += 1;
    if (progress.deliveredAt > since) await store.subscriptions.remove(key);
  }

  function waitAfter(failingMs: number, retryAfterMs = 0): number {
    const waitMs = Math.min(Math.max(failingMs, MIN_WAIT_MS), MAX_WAIT_MS) * (1 + JITTER * random());
    return Math.max(Math.round(waitMs), Math.min(retryAfterMs, MAX_RETRY_AFTER_MS));
  }

  function reportCounts(isRetry: boolean): void {
    if (Object.values(counts).some((count) => count > 0))
      report({ type: 'push-sent', isRetry, ...counts, reason: lastFailure });
    counts = { delivered: 0, failed: 0, gone: 0, dropped: 0 };
    lastFailure = null;
  }

  return { next, progress: () => progress, save };
}

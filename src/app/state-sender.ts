import type { RefreshScheduler } from '../crawler/refresh-scheduler.ts';
import type { SnapshotSync } from '../crawler/snapshot-sync.ts';
import type { WebhookState } from '../domain/webhook-state.ts';
import { type ListingState, summarizeSnapshot } from '../publishing/listing-state.ts';
import type { CrawlerMessage } from './threads/messages.ts';

/** The longest delay until clients see a change. */
const CHECK_EVERY_MS = 250;

interface StateSenderOptions {
  sync: SnapshotSync;
  scheduler: RefreshScheduler;
  webhooks: { states(): WebhookState[] };
  send: (message: CrawlerMessage) => void;
}

export interface StateSender {
  /** Sends the state if it has changed. */
  sendChange(): void;
  stop(): void;
}

/** Sends the state of the listing now and after each change. It checks at intervals because time changes the state too. */
export function startStateSender({ sync, scheduler, webhooks, send }: StateSenderOptions): StateSender {
  let sent = '';

  function sendChange(): void {
    const state = readState();
    const text = JSON.stringify(state);
    if (text === sent) return;
    sent = text;
    send({ type: 'state', state });
  }

  function readState(): ListingState {
    const { state, since, reason, refreshedAt, omitted, keptFromBefore, repaired, pending } = sync.status();
    const snapshot = sync.snapshot();
    return {
      source: { state, since, reason, refreshedAt, omitted, keptFromBefore, repaired, pending },
      dueAt: scheduler.dueAt(),
      ongoingDueAt: scheduler.ongoingDueAt(),
      nextAttempt: scheduler.nextAttempt(),
      isRefreshing: scheduler.isRefreshing(),
      store: sync.health(),
      webhooks: webhooks.states(),
      snapshot: snapshot ? summarizeSnapshot(snapshot) : null,
    };
  }

  sendChange();
  const timer = setInterval(sendChange, CHECK_EVERY_MS);
  return { sendChange, stop: () => clearInterval(timer) };
}

import type { RefreshScheduler } from '../crawler/refresh-scheduler.ts';
import type { SnapshotSync } from '../crawler/snapshot-sync.ts';
import { type ListingState, summarizeSnapshot } from '../publishing/listing-state.ts';
import type { CrawlerMessage } from './messages.ts';

/** Readers may learn of a change so much later. */
const LOOK_EVERY_MS = 250;

export interface StateSenderOptions {
  stored: SnapshotSync;
  scheduler: RefreshScheduler;
  send: (message: CrawlerMessage) => void;
}

export interface StateSender {
  /** Sends the state now, if it has become another. */
  sendChange(): void;
  stop(): void;
}

/**
 * Sends the state at once, and again whenever it has become another. It looks at short intervals, because the clock
 * changes the state too.
 */
export function createStateSender({ stored, scheduler, send }: StateSenderOptions): StateSender {
  let sent = '';

  function sendChange(): void {
    const state = readState();
    const text = JSON.stringify(state);
    if (text === sent) return;
    sent = text;
    send({ type: 'state', state });
  }

  function readState(): ListingState {
    const { state, since, reason, refreshedAt, omitted, keptFromBefore } = stored.status();
    const snapshot = stored.snapshot();
    return {
      source: { state, since, reason, refreshedAt, omitted, keptFromBefore },
      dueAt: scheduler.dueAt(),
      ongoingDueAt: scheduler.ongoingDueAt(),
      nextAttempt: scheduler.nextAttempt(),
      isRefreshing: scheduler.isRefreshing(),
      store: stored.health(),
      snapshot: snapshot ? summarizeSnapshot(snapshot) : null,
    };
  }

  sendChange();
  const timer = setInterval(sendChange, LOOK_EVERY_MS);
  return { sendChange, stop: () => clearInterval(timer) };
}

import { startLeasedJob } from '../crawler/leased-job.ts';
import type { SnapshotStore } from '../crawler/snapshot-store.ts';
import { readQueue } from '../webhooks/queue.ts';
import { loadProgress, type PushProgress } from './push-progress.ts';
import { createRounds, type RoundsOptions } from './push-rounds.ts';

/** How often a sender looks for what is due, beside each write of the store. */
const CHECK_MS = 5_000;

/**
 * Tells every subscription what is new of the anime that it follows. Of the processes that share a store, the one with the
 * lease sends. Returns the function that stops it.
 */
export function startPushSender(options: RoundsOptions): () => Promise<void> {
  const { store, report, now } = options;
  /** The store may forget what this process has sent. */
  let known: PushProgress | undefined;

  async function work(signal: AbortSignal, noteStart: () => void): Promise<void> {
    const alarm = createAlarm(store, signal);
    try {
      const content = await readQueue(store, []);
      const rounds = createRounds(options, await loadProgress(store, content, now(), known), signal);
      await rounds.save();
      noteStart();
      while (!signal.aborted) {
        const isIdle = await rounds.next(await readQueue(store, [])).finally(() => {
          known = rounds.progress();
        });
        if (isIdle) await alarm.wait();
      }
    } finally {
      alarm.stop();
    }
  }

  return startLeasedJob({ store, lease: 'push', doing: 'sending push messages', work, report });
}

/** Rings when the store has changed, after `CHECK_MS` at most, and at once when `signal` is aborted. */
function createAlarm(store: Pick<SnapshotStore, 'watch'>, signal: AbortSignal) {
  let rung = Promise.withResolvers<void>();
  const ring = () => rung.resolve();
  const unwatch = store.watch(ring);
  const timer = setInterval(ring, CHECK_MS);
  signal.addEventListener('abort', ring);
  return {
    /** Resolves once it has rung since the last call. */
    async wait(): Promise<void> {
      await rung.promise;
      rung = Promise.withResolvers<void>();
    },
    stop() {
      unwatch();
      clearInterval(timer);
    },
  };
}

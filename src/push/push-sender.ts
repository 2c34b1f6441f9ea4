import { createAlarm, startLeasedJob } from '../crawler/leased-job.ts';
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

  async function work(_: unknown, signal: AbortSignal, noteStart: () => void): Promise<void> {
    const alarm = createAlarm(store, CHECK_MS, signal);
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

  return startLeasedJob({ store, name: 'push', doing: 'sending push messages', work, report });
}

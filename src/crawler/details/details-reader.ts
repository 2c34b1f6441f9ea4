import { createAlarm, startLeasedJob } from '../leased-job.ts';
import { createBatchReader, type DetailsOptions } from './read-batch.ts';

/** How often it looks whether the page of an anime is due, where the store does not change. */
const LOOK_EVERY_MS = 15_000;

/**
 * Reads the pages of single anime in the background, one after the other, in one process of those that share a store. A
 * failure costs nothing but the details: it is counted, and that page is read again later. Returns the function that aborts
 * a reading under way and waits for its end.
 */
export function startDetailsReader(options: DetailsOptions): () => Promise<void> {
  const { store, report } = options;
  const readBatch = createBatchReader(options);

  async function work(signal: AbortSignal, noteStart: () => void): Promise<void> {
    const alarm = createAlarm(store, LOOK_EVERY_MS, signal);
    try {
      // The process that had the lease before may just have written what it read.
      await store.readListing();
      while (!signal.aborted && (await store.holds('details'))) {
        const didRead = await readBatch(signal);
        noteStart();
        if (!didRead) await alarm.wait();
      }
    } finally {
      alarm.stop();
    }
  }

  return startLeasedJob({ store, lease: 'details', doing: 'reading details', work, report });
}

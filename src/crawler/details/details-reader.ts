import { createBatchReader, type DetailsOptions } from './read-batch.ts';

/** How often it looks whether the page of an anime is due. */
const LOOK_EVERY_MS = 15_000;

export interface DetailsReader {
  /** Aborts a reading under way and waits for its end. */
  stop(): Promise<void>;
}

/**
 * Reads the pages of single anime in the background, one after the other, in one process of those that share a store. A
 * failure costs nothing but the details: it is counted, and that page is read again later.
 */
export function startDetailsReader(options: DetailsOptions): DetailsReader {
  const { store, report } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  const readBatch = createBatchReader(options, signal);
  let isFailing = false;
  let wake = Promise.withResolvers<void>();
  const unwatch = store.watch(() => wake.resolve());

  async function run(): Promise<void> {
    while (!signal.aborted) {
      wake = Promise.withResolvers();
      const didRead = await readDue().catch((error: unknown) => {
        if (!signal.aborted && !isFailing) report({ type: 'store-failed', doing: 'reading details', error });
        isFailing = true;
        return false;
      });
      if (!didRead) await waitForChange();
    }
  }

  /** Until the store changes, which may make a page due, or time has passed. Never rejects. */
  async function waitForChange(): Promise<void> {
    const timer = setTimeout(wake.resolve, LOOK_EVERY_MS);
    await wake.promise;
    clearTimeout(timer);
  }

  async function readDue(): Promise<boolean> {
    const snapshot = store.known().listing?.snapshot;
    if (!snapshot || !readBatch.isDue(snapshot)) return false;
    const release = await store.lease('details');
    if (!release) return false;
    try {
      await store.readListing();
      const didRead = await readBatch.run(store.known().listing?.snapshot ?? snapshot);
      isFailing = false;
      return didRead;
    } finally {
      await release();
    }
  }

  const end = run();
  return {
    async stop() {
      stopping.abort();
      unwatch();
      wake.resolve();
      await end;
    },
  };
}

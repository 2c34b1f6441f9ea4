import type { CrawlerData } from './crawler-thread.ts';
import { type SupervisedThread, type SupervisorOptions, superviseThread } from './threads/supervisor.ts';
import type { UploadsData } from './uploads-thread.ts';

const THREADS = {
  crawler: {
    entry: new URL('./crawler-thread.ts', import.meta.url),
    // It runs behind the main thread and the uploads, on which clients wait.
    niceness: 4,
    // A hostile page of 5 MB takes some hundred megabytes while it is parsed. A larger young generation only adds to idle memory.
    limits: { maxOldGenerationSizeMb: 384, maxYoungGenerationSizeMb: 4 },
  },
  uploads: {
    entry: new URL('./uploads-thread.ts', import.meta.url),
    // They run behind the main thread.
    niceness: 2,
    // With 1 MB of young generation, small downloads take a third more CPU time; with 8 MB, hardly less.
    limits: { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 4 },
  },
};

/** How long a thread may take to stop once its requests have ended. */
const LAST_STEPS_MS = 5_000;

type JobOptions = Omit<
  SupervisorOptions,
  'name' | 'data' | 'entry' | 'niceness' | 'limits' | 'stopTimeoutMs'
> &
  ({ name: 'crawler'; data: CrawlerData } | { name: 'uploads'; data: UploadsData });

/** Starts a job of the service in a thread of its own. */
export function startInThread(options: JobOptions): SupervisedThread {
  const { delayMs, graceMs } = options.data.config.shutdown;
  const stopTimeoutMs = delayMs + graceMs + LAST_STEPS_MS;
  return superviseThread({ ...THREADS[options.name], stopTimeoutMs, ...options });
}

/** Starts a job of the service. Tests that are not about threads start it in their own thread. */
export type StartJob = typeof startInThread;

import type { CrawlerData } from './crawler-thread.ts';
import { type SupervisedThread, type SupervisorOptions, superviseThread } from './threads/supervisor.ts';
import type { UploadsData } from './uploads-thread.ts';

const THREADS = {
  crawler: {
    entry: new URL('./crawler-entry.ts', import.meta.url),
    // A hostile page of 5 MB takes some hundred megabytes while it is parsed. A larger young generation only adds to idle memory.
    limits: { maxOldGenerationSizeMb: 384, maxYoungGenerationSizeMb: 4 },
  },
  uploads: {
    entry: new URL('./uploads-entry.ts', import.meta.url),
    // With 1 MB of young generation, small downloads take a third more CPU time; with 8 MB, hardly less.
    limits: { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 4 },
  },
};

type JobOptions = Omit<SupervisorOptions, 'name' | 'data' | 'entry' | 'limits'> &
  ({ name: 'crawler'; data: CrawlerData } | { name: 'uploads'; data: UploadsData });

/** Starts a job of the service in a thread of its own. */
export function startInThread(options: JobOptions): SupervisedThread {
  return superviseThread({ ...THREADS[options.name], ...options });
}

/** Starts a job of the service. Tests that are not about threads start it in their own thread. */
export type StartJob = typeof startInThread;

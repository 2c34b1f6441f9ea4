import type { EventEmitter } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { CrawlerData } from '../crawler-thread.ts';
import type { UploadsData } from '../uploads-thread.ts';
import type { Gate } from './gate.ts';
import type { Notes } from './thread-memory.ts';

/** What differs between the threads. */
export type Job = ({ name: 'crawler'; data: CrawlerData } | { name: 'uploads'; data: UploadsData }) & {
  /** Called before the thread binds its port. */
  onPortRequested?: () => Promise<void>;
  /** Called after each failure, before the backoff. */
  onDown?: () => Promise<void>;
};

/** What a run of a thread gets besides its job. */
export interface RunData {
  /** What earlier runs have noted; undefined in the first one. */
  notes: Notes | undefined;
  gate: Gate;
}

/** The part of a worker that runs a job. */
export type OpenThread = (
  job: Job,
  run: RunData,
) => Pick<EventEmitter, 'on'> & Pick<Worker, 'postMessage' | 'terminate' | 'cpuUsage'>;

/**
 * Of each thread, the module of its job, which exports `start`; how far behind the main thread the operating system schedules
 * it, once it has started; and the memory that it may have.
 */
const THREADS = {
  crawler: {
    entry: new URL('../crawler-thread.ts', import.meta.url),
    // It runs behind the main thread and the uploads, on which clients wait.
    niceness: 4,
    // A hostile page of 5 MB takes some hundred megabytes while it is parsed. A larger young generation only adds to idle memory.
    resourceLimits: { maxOldGenerationSizeMb: 384, maxYoungGenerationSizeMb: 4 },
  },
  uploads: {
    entry: new URL('../uploads-thread.ts', import.meta.url),
    // They run behind the main thread.
    niceness: 2,
    // With 1 MB of young generation, small downloads take a third more CPU time; with 8 MB, hardly less.
    resourceLimits: { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 4 },
  },
};

const ENTRY = new URL('./start-thread.js', import.meta.url);
export const openWorker: OpenThread = ({ name, data }, run) => {
  const { entry, niceness, resourceLimits } = THREADS[name];
  const workerData = { entry: entry.href, data, niceness, ...run };
  return new Worker(ENTRY, { name, workerData, resourceLimits });
};

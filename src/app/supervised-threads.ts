import type { Report } from '../domain/operational-event.ts';
import type { CrawlerData } from './crawler-thread.ts';
import type { JobMessage, Origins } from './threads/messages.ts';
import { type SupervisedThread, superviseThread } from './threads/supervisor.ts';
import type { UploadsPort } from './uploads-port.ts';
import type { UploadsData } from './uploads-thread.ts';

/** A hostile page of 5 MB takes some hundred megabytes while it is parsed. A larger young generation only adds to idle memory. */
const CRAWLER_LIMITS = { maxOldGenerationSizeMb: 384, maxYoungGenerationSizeMb: 4 };
/** With 1 MB of young generation, small downloads take a third more CPU time; with 8 MB, hardly less. */
const UPLOADS_LIMITS = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 4 };

/** Starts each job of the service in a thread of its own. */
export const IN_THREADS = {
  startCrawler(
    data: CrawlerData,
    origins: Promise<Origins>,
    onMessage: (message: JobMessage) => void,
    report: Report,
  ): SupervisedThread {
    return superviseThread({
      name: 'crawler',
      entry: new URL('./crawler-entry.ts', import.meta.url),
      limits: CRAWLER_LIMITS,
      data,
      origins,
      onMessage,
      report,
    });
  },
  /** The thread takes over the port from the main thread. */
  startUploads(
    data: UploadsData,
    origins: Promise<Origins>,
    onMessage: (message: JobMessage) => void,
    { release, reclaim }: UploadsPort,
    report: Report,
  ): SupervisedThread {
    return superviseThread({
      name: 'uploads',
      entry: new URL('./uploads-entry.ts', import.meta.url),
      limits: UPLOADS_LIMITS,
      data,
      origins,
      onMessage,
      onPortRequested: release,
      onDown: reclaim,
      report,
    });
  },
};

/** Starts the jobs of the service. Tests that are not about threads start them in their own thread. */
export type JobStarters = typeof IN_THREADS;

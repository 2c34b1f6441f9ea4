import { workerData } from 'node:worker_threads';
import { type CrawlerData, startCrawler } from './crawler-thread.ts';
import { runThread } from './threads/run-thread.ts';

/** The crawler runs behind the main thread and the uploads, on which clients wait. */
const NICENESS = 4;

// `workerData` has no type; `startInThread` starts this thread with a CrawlerData.
await runThread((context) => startCrawler(workerData as CrawlerData, context), NICENESS);

import { workerData } from 'node:worker_threads';
import { runThread } from './threads/run-thread.ts';
import { startUploads, type UploadsData } from './uploads-thread.ts';

/** The uploads run behind the main thread, ahead of the crawler. */
const NICENESS = 2;

// `workerData` has no type; `startInThread` starts this thread with an UploadsData.
await runThread((context) => startUploads(workerData as UploadsData, context), NICENESS);

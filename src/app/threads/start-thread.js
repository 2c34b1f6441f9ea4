import { workerData } from 'node:worker_threads';
import '../../runtime.js';

const { entry, data, niceness } = workerData;
const [{ runThread }, { start }] = await Promise.all([import('./run-thread.ts'), import(entry)]);
await runThread((context) => start(data, context), niceness);

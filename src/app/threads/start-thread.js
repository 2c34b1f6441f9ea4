import { workerData } from 'node:worker_threads';
import '../../runtime.js';

await import(workerData.entry);

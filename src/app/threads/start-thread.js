// Plain JavaScript, so that the compile cache is on before anything in TypeScript is loaded.
import { enableCompileCache } from 'node:module';
import { workerData } from 'node:worker_threads';

enableCompileCache();
await import(workerData.entry);

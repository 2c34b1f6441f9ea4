import { flushCompileCache } from 'node:module';
import { getPriority, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import '../../runtime.js';

const { entry, data, niceness, notes, gate } = workerData;
const [{ runThread }, { guardByGate }, { guardCompression }, { start }] = await Promise.all([
  import('./run-thread.ts'),
  import('./gate.ts'),
  import('../../publishing/document.ts'),
  import(entry),
]);
guardCompression(guardByGate(gate, process.exit));
await runThread({
  start: (context) => start(data, context),
  main: parentPort,
  notes,
  end: process.exit,
});
// Linux gives each thread a priority of its own; elsewhere the call would lower that of the whole process. Nobody may raise one.
if (process.platform === 'linux') setPriority(Math.max(niceness, getPriority()));
// `terminate` ends a thread without writing the compile cache.
flushCompileCache();

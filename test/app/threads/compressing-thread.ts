import { workerData } from 'node:worker_threads';
import { type Gate, guardByGate } from '../../../src/app/threads/gate.ts';

/** Pretends to compress until the main thread has ended this one, notes that it finished, and compresses again. */
const { gate, shared }: { gate: Gate; shared: Int32Array } = workerData;
const compress = guardByGate(gate, process.exit);
compress(() => {
  Atomics.store(shared, 0, 1);
  Atomics.notify(shared, 0);
  while (Atomics.load(shared, 1) === 0);
  for (let step = 0; step < 1_000_000; step += 1) Math.random();
  Atomics.store(shared, 2, 1);
});
compress(() => Atomics.store(shared, 3, 1));

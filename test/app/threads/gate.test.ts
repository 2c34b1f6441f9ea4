import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { createGate, endThread } from '../../../src/app/threads/gate.ts';

test('a thread that compresses is not ended before that is done, and begins nothing after it', async () => {
  const gate = createGate();
  const started = 0;
  const ended = 1;
  const done = 2;
  const again = 3;
  const shared = new Int32Array(new SharedArrayBuffer(16));
  const worker = new Worker(new URL('compressing-thread.ts', import.meta.url), {
    workerData: { gate, shared },
  });
  const exited = once(worker, 'exit');
  await Atomics.waitAsync(shared, started, 0).value;
  endThread(worker, gate);
  Atomics.store(shared, ended, 1);
  await exited;
  expect([shared[done], shared[again]]).toEqual([1, 0]);
});

test('a thread that does not compress is ended at once', async () => {
  const gate = createGate();
  const worker = new Worker('for (;;) Math.random();', { eval: true });
  const exited = once(worker, 'exit');
  await once(worker, 'online');
  endThread(worker, gate);
  expect(await exited).toEqual([1]);
});

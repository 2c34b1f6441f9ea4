import type { Worker } from 'node:worker_threads';

/** Set while the thread creates and uses a compressor. */
const COMPRESSING = 1;
/** Set once the main thread wants the thread to end. */
const ENDING = 2;

/**
 * Keeps a thread from being ended while it compresses. `Worker.terminate` stops JavaScript between any two steps, and Node
 * aborts the whole process when one of these was between the creation of a compressor and its initialization
 * (docs/decisions/0020-a-thread-for-each-job.md). One word of memory, which both threads share.
 */
export type Gate = Int32Array<SharedArrayBuffer>;

export function createGate(): Gate {
  return new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
}

/** Called in the main thread. Ends the thread at once or, if it is compressing, lets it end itself as soon as that is done. */
export function endThread(worker: Pick<Worker, 'terminate'>, gate: Gate): void {
  const isCompressing = (Atomics.or(gate, 0, ENDING) & COMPRESSING) !== 0;
  if (!isCompressing) void worker.terminate();
}

/** Called in the thread. Returns a function that runs a compression, and calls `end` before or after it when asked to end. */
export function guardByGate(gate: Gate, end: () => never): <Result>(compress: () => Result) => Result {
  return (compress) => {
    if (Atomics.or(gate, 0, COMPRESSING) & ENDING) end();
    try {
      return compress();
    } finally {
      if (Atomics.and(gate, 0, ~COMPRESSING) & ENDING) end();
    }
  };
}

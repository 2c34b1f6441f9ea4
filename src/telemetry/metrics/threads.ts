import { monitorEventLoopDelay } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';
import { Gauge, type Registry } from 'prom-client';
import type { ThreadState } from '../../domain/thread-state.ts';

const NANOSECONDS = 1e9;

/** How busy a thread is, and what its heap holds. */
export function measureThread(registry: Registry, thread: string): void {
  const delay = monitorEventLoopDelay();
  delay.enable();
  new Gauge({
    name: 'tayang_thread_event_loop_delay_seconds',
    help: 'The 99th percentile of the delay of the event loop since it was last read.',
    labelNames: ['thread'] as const,
    registers: [registry],
    collect() {
      this.set({ thread }, delay.percentile(99) / NANOSECONDS);
      delay.reset();
    },
  });
  new Gauge({
    name: 'tayang_thread_heap_bytes',
    help: 'Bytes in use on the heap of a thread.',
    labelNames: ['thread'] as const,
    registers: [registry],
    collect() {
      this.set({ thread }, getHeapStatistics().used_heap_size);
    },
  });
}

/** By name. */
export type WatchedThreads = ReadonlyMap<string, { state(): ThreadState }>;

/** Whether the threads run, as the supervisor sees it. */
export function measureSupervisor(registry: Registry, threads: WatchedThreads): void {
  const labelNames = ['thread'] as const;
  new Gauge({
    name: 'tayang_thread_up',
    help: 'Whether a thread runs: 1, or 0 while it is started again.',
    labelNames,
    registers: [registry],
    collect() {
      for (const [name, thread] of threads)
        this.set({ thread: name }, thread.state().state === 'running' ? 1 : 0);
    },
  });
  new Gauge({
    name: 'tayang_thread_restarts_total',
    help: 'How often a thread has failed and was started again.',
    labelNames,
    registers: [registry],
    collect() {
      for (const [name, thread] of threads) this.set({ thread: name }, thread.state().restarts);
    },
  });
}

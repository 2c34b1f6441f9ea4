import { monitorEventLoopDelay } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';
import { Gauge, type Registry } from 'prom-client';
import type { ThreadState } from '../../domain/thread-state.ts';

const NANOSECONDS = 1e9;

/** Measures the event loop and the heap of the thread that calls it. */
export function measureThread(registry: Registry, thread: string): void {
  const delay = monitorEventLoopDelay();
  delay.enable();
  new Gauge({
    name: 'tayang_thread_event_loop_delay_seconds',
    help: 'The 99th percentile of the delay of the event loop since the last scrape.',
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

/** The supervised threads, by name. */
export type ThreadGauges = ReadonlyMap<string, { state(): ThreadState }>;

/** Measures which threads run, as the supervisor sees them. */
export function measureThreads(registry: Registry, threads: ThreadGauges): void {
  const labelNames = ['thread'] as const;
  new Gauge({
    name: 'tayang_thread_up',
    help: 'Whether a thread runs: 1, or 0 while it is restarted.',
    labelNames,
    registers: [registry],
    collect() {
      for (const [name, thread] of threads)
        this.set({ thread: name }, thread.state().state === 'running' ? 1 : 0);
    },
  });
  new Gauge({
    name: 'tayang_thread_restarts_total',
    help: 'Times that a thread has failed and was restarted.',
    labelNames,
    registers: [registry],
    collect() {
      for (const [name, thread] of threads) this.set({ thread: name }, thread.state().restarts);
    },
  });
}

import { monitorEventLoopDelay } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';
import type { Dependencies, ThreadState, WebhookState } from '../../domain/health.ts';
import type { ListingState } from '../../publishing/listing-state.ts';
import CATALOGUE from './catalogue.json' with { type: 'json' };

/** Reads a gauge at a scrape: its value, or that for each value of its label. */
export type Read = () => number | Promise<number> | Record<string, number>;

export type Gauges = Partial<Record<keyof typeof CATALOGUE.gauges, Read>>;

/** Where the state of the listing is read. `now`: wall clock, ms since 1970. */
interface Listing {
  state(): ListingState | undefined;
  now(): number;
}

const NANOSECONDS = 1e9;
const SOURCE_STATES = ['ok', 'blocked', 'moved', 'changed', 'down'];

export function listingGauges({ state, now }: Listing): Gauges {
  const isIn = (name: string) => Number(state()?.source.state === name);
  return {
    tayang_source_state: () => Object.fromEntries(SOURCE_STATES.map((name) => [name, isIn(name)])),
    tayang_snapshot_age_seconds: () => {
      const at = state()?.snapshot && state()?.source.refreshedAt;
      // Infinity without a snapshot, so that every alert on the age fires.
      return at == null ? Infinity : (now() - at) / 1_000;
    },
    tayang_entries: () => {
      const { anime = 0, scheduled = 0 } = state()?.snapshot ?? {};
      return { ongoing: anime, scheduled };
    },
    tayang_repaired_selectors: () => state()?.source.repaired.length ?? 0,
  };
}

/** Of the receivers of this process; one that does not send has none. */
export function webhookGauges({ state, now }: Listing): Gauges {
  const webhooks = (): readonly WebhookState[] => state()?.webhooks ?? [];
  return {
    tayang_webhook_pending: () => webhooks().reduce((sum, { pending }) => sum + pending, 0),
    tayang_webhook_failing_seconds: () =>
      Math.max(0, ...webhooks().map(({ since }) => (since === null ? 0 : (now() - since) / 1_000))),
  };
}

/** Of the dependencies of this process, and of its threads, by their names. */
export function processGauges(
  dependencies: () => Dependencies,
  threads: () => Record<string, ThreadState>,
): Gauges {
  const ofThreads = (read: (state: ThreadState) => number) =>
    Object.fromEntries(Object.entries(threads()).map(([name, state]) => [name, read(state)]));
  return {
    tayang_dependency_up: () => {
      const present = Object.entries(dependencies()).filter(([, state]) => state !== 'absent');
      return Object.fromEntries(present.map(([name, state]) => [name, Number(state === 'ok')]));
    },
    tayang_thread_up: () => ofThreads(({ state }) => Number(state === 'running')),
    tayang_thread_restarts_total: () => ofThreads(({ restarts }) => restarts),
  };
}

/** Of the thread that measures. */
export function threadGauges(name: string): Gauges {
  const delay = monitorEventLoopDelay();
  delay.enable();
  return {
    tayang_thread_event_loop_delay_seconds: () => {
      const seconds = delay.percentile(99) / NANOSECONDS;
      delay.reset();
      return { [name]: seconds };
    },
    tayang_thread_heap_bytes: () => ({ [name]: getHeapStatistics().used_heap_size }),
  };
}

import { monitorEventLoopDelay } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';
import { Gauge, type Registry } from '@prometheus-io/client';
import type { Dependencies, ThreadState, WebhookState } from '../../domain/health.ts';
import type { ListingState } from '../../publishing/listing-state.ts';
import CATALOGUE from './catalogue.json' with { type: 'json' };

/** What gauges are read from, at each scrape. `now`: wall clock, ms since 1970. */
export interface Sources {
  listing: { state(): ListingState | undefined; now(): number };
  eventStream: { clients: number };
  /** The receivers of this process; a process that does not send has none. */
  webhooks: { webhooks(): readonly WebhookState[]; now(): number };
  /** `free` resolves with Infinity where a storage does not know. `unswept`: what the last sweep could not read or remove. */
  storage: {
    stored(): { bytes: number; files: number };
    quotaBytes: number;
    free(): Promise<{ bytes: number; files: number }>;
    unswept(): number;
  };
  dependencies: () => Dependencies;
  /** The supervised threads, by name. */
  threads: ReadonlyMap<string, { state(): ThreadState }>;
  /** The thread that measures, by its name. */
  thread: string;
}

interface Described {
  help: string;
  label?: string;
}

/** Returns the value of a gauge; by the value of the label, where it has one. */
type Read = () => number | Promise<number> | Record<string, number>;

type Readings = Partial<Record<keyof typeof CATALOGUE.gauges, Read>>;

/** Adds the gauges that are read from a source to a registry. */
export function addGauges<Kind extends keyof Sources>(
  registry: Registry,
  kind: Kind,
  source: Sources[Kind],
): void {
  const readings: Record<string, Read> = GAUGES[kind](source);
  for (const [name, described] of Object.entries<Described>(CATALOGUE.gauges)) {
    const read = readings[name];
    if (read) addGauge(registry, name, described, read);
  }
}

function addGauge(registry: Registry, name: string, { help, label }: Described, read: Read): void {
  new Gauge({
    name,
    help,
    labelNames: label ? [label] : [],
    registers: [registry],
    async collect() {
      // One gauge that fails must not fail the whole scrape.
      const values = await Promise.try(read).catch(() => Number.NaN);
      if (typeof values === 'number') this.set(values);
      else for (const [labelled, value] of Object.entries(values)) this.labels(labelled).set(value);
    },
  });
}

const NANOSECONDS = 1e9;
const SOURCE_STATES = ['ok', 'blocked', 'moved', 'changed', 'down'];

const GAUGES: { [Kind in keyof Sources]: (source: Sources[Kind]) => Readings } = {
  listing: ({ state, now }) => {
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
  },
  eventStream: (stream) => ({ tayang_event_clients: () => stream.clients }),
  webhooks: ({ webhooks, now }) => ({
    tayang_webhook_pending: () => webhooks().reduce((sum, { pending }) => sum + pending, 0),
    tayang_webhook_failing_seconds: () =>
      Math.max(0, ...webhooks().map(({ since }) => (since === null ? 0 : (now() - since) / 1_000))),
  }),
  storage: ({ stored, quotaBytes, free, unswept }) => ({
    tayang_stored_bytes: () => stored().bytes,
    tayang_stored_files: () => stored().files,
    tayang_quota_bytes: () => quotaBytes,
    tayang_free_bytes: async () => (await free()).bytes,
    tayang_free_files: async () => (await free()).files,
    tayang_unswept_items: unswept,
  }),
  dependencies: (read) => ({
    tayang_dependency_up: () => {
      const present = Object.entries(read()).filter(([, state]) => state !== 'absent');
      return Object.fromEntries(present.map(([name, state]) => [name, Number(state === 'ok')]));
    },
  }),
  threads: (threads) => {
    const ofEach = (read: (state: ThreadState) => number) =>
      Object.fromEntries([...threads].map(([name, thread]) => [name, read(thread.state())]));
    return {
      tayang_thread_up: () => ofEach(({ state }) => Number(state === 'running')),
      tayang_thread_restarts_total: () => ofEach(({ restarts }) => restarts),
    };
  },
  thread: (name) => {
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
  },
};

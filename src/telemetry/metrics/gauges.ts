import { monitorEventLoopDelay } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';
import type { Dependencies, ThreadState, WebhookState } from '../../domain/health.ts';
import type { ListingState } from '../../publishing/listing-state.ts';

/** A value that is read at each scrape. */
export interface MeasuredMetric {
  name: string;
  help: string;
  /** Whether it only rises, as a counter does. */
  isCounter?: true;
  /** Present where it has a value for each value of a label. */
  label?: string;
  read: () => number | Promise<number> | Record<string, number>;
}

/** Where the state of the listing is read. `now`: wall clock, ms since 1970. */
interface MeasuredListing {
  state(): ListingState | undefined;
  now(): number;
}

const NANOSECONDS = 1e9;
const SOURCE_STATES = ['ok', 'blocked', 'moved', 'changed', 'down'];

export function listingGauges({ state, now }: MeasuredListing): MeasuredMetric[] {
  const isIn = (name: string) => Number(state()?.source.state === name);
  return [
    {
      name: 'tayang_source_state',
      help: 'State of the source at the last attempt: 1 for that state, 0 for the others.',
      label: 'state',
      read: () => Object.fromEntries(SOURCE_STATES.map((name) => [name, isIn(name)])),
    },
    {
      name: 'tayang_snapshot_age_seconds',
      help: 'Time since the last good crawl.',
      read() {
        const at = state()?.snapshot && state()?.source.refreshedAt;
        // Infinity without a snapshot, so that every alert on the age fires.
        return at == null ? Infinity : (now() - at) / 1_000;
      },
    },
    {
      name: 'tayang_entries',
      help: 'Entries served.',
      label: 'list',
      read() {
        const { anime = 0, scheduled = 0 } = state()?.snapshot ?? {};
        return { ongoing: anime, scheduled };
      },
    },
    {
      name: 'tayang_covers',
      help: 'Covers of anime: kept here, never tried, and those whose last try failed.',
      label: 'state',
      read: () => ({ ...(state()?.covers ?? { known: 0, missing: 0, failed: 0 }) }),
    },
    {
      name: 'tayang_repaired_selectors',
      help: 'Selectors that the last good crawl found anew because the markup of the source has changed.',
      read: () => state()?.source.repaired.length ?? 0,
    },
  ];
}

export function streamGauges(stream: { readonly clients: number }): MeasuredMetric[] {
  return [
    {
      name: 'tayang_event_clients',
      help: 'Clients connected to the stream of events.',
      read: () => stream.clients,
    },
  ];
}

/** For the receivers of this process, if it sends. */
export function webhookGauges({ state, now }: MeasuredListing): MeasuredMetric[] {
  const webhooks = (): readonly WebhookState[] => state()?.webhooks ?? [];
  const failingSeconds = ({ since }: WebhookState) => (since === null ? 0 : (now() - since) / 1_000);
  return [
    {
      name: 'tayang_webhook_pending',
      help: 'Messages that wait for a receiver.',
      read: () => webhooks().reduce((sum, { pending }) => sum + pending, 0),
    },
    {
      name: 'tayang_webhook_failing_seconds',
      help: 'For how long the receiver that has failed longest has not accepted a message; 0 when none fails.',
      read: () => Math.max(0, ...webhooks().map(failingSeconds)),
    },
  ];
}

/** What is stored of the uploads, and how much may be. */
interface MeasuredUploads {
  stored(): { bytes: number; files: number };
  quotaBytes: number;
  free(): Promise<{ bytes: number; files: number }>;
  /** How many items the last sweep could not read or remove. */
  unswept(): number;
  /** How many reports of files wait for the operator. */
  reports(): number;
}

export function uploadGauges({
  stored,
  quotaBytes,
  free,
  unswept,
  reports,
}: MeasuredUploads): MeasuredMetric[] {
  return [
    {
      name: 'tayang_stored_bytes',
      help: 'Bytes of uploads that are stored or staged.',
      read: () => stored().bytes,
    },
    {
      name: 'tayang_stored_files',
      help: 'Uploads stored.',
      read: () => stored().files,
    },
    {
      name: 'tayang_quota_bytes',
      help: 'Bytes that all uploads together may have.',
      read: () => quotaBytes,
    },
    {
      name: 'tayang_free_bytes',
      help: 'Bytes that are free where the uploads are stored.',
      read: async () => (await free()).bytes,
    },
    {
      name: 'tayang_free_files',
      help: 'How many more files and folders there may be where the uploads are stored.',
      read: async () => (await free()).files,
    },
    {
      name: 'tayang_unswept_items',
      help: 'Files, folders and records of the uploads that the last sweep could not read or remove.',
      read: unswept,
    },
    {
      name: 'tayang_waiting_reports',
      help: 'Reports of files that are still stored: remove each file, or wait for its expiry.',
      read: reports,
    },
  ];
}

/** Of the dependencies of this process, and of its threads, by their names. */
export function processGauges(
  dependencies: () => Dependencies,
  threads: () => Record<string, ThreadState>,
): MeasuredMetric[] {
  const ofThreads = (read: (state: ThreadState) => number) =>
    Object.fromEntries(Object.entries(threads()).map(([name, state]) => [name, read(state)]));
  return [
    {
      name: 'tayang_dependency_up',
      help: 'Whether a dependency of this process works: 1, or 0.',
      label: 'name',
      read() {
        const present = Object.entries(dependencies()).filter(([, state]) => state !== 'absent');
        return Object.fromEntries(present.map(([name, state]) => [name, Number(state === 'ok')]));
      },
    },
    {
      name: 'tayang_thread_up',
      help: 'Whether a thread runs: 1, or 0 while it is restarted.',
      label: 'thread',
      read: () => ofThreads(({ state }) => Number(state === 'running')),
    },
    {
      name: 'tayang_thread_restarts_total',
      help: 'Times that a thread has failed and was restarted.',
      isCounter: true,
      label: 'thread',
      read: () => ofThreads(({ restarts }) => restarts),
    },
  ];
}

/** Of the thread that measures. */
export function threadGauges(thread: string): MeasuredMetric[] {
  const delay = monitorEventLoopDelay();
  delay.enable();
  return [
    {
      name: 'tayang_thread_event_loop_delay_seconds',
      help: 'The 99th percentile of the delay of the event loop since the last scrape.',
      label: 'thread',
      read() {
        const seconds = delay.percentile(99) / NANOSECONDS;
        delay.reset();
        return { [thread]: seconds };
      },
    },
    {
      name: 'tayang_thread_heap_bytes',
      help: 'Bytes in use on the heap of a thread.',
      label: 'thread',
      read: () => ({ [thread]: getHeapStatistics().used_heap_size }),
    },
  ];
}

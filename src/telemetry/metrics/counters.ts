import { Counter, type Registry } from '@prometheus-io/client';
import { AppError } from '../../domain/errors.ts';
import type { OperationalEvent } from '../../domain/operational-event.ts';

type EventType = OperationalEvent['type'];
type EventOf<Type extends EventType> = Extract<OperationalEvent, { type: Type }>;

/** What is added to a counter: 1, if `by` is absent. */
export interface Count {
  labels?: Record<string, string | number>;
  by?: number;
}

/** A counter, and its increment for each event. */
interface CountedMetric {
  name: string;
  help: string;
  labels?: string[];
  /** The values of the labels that have a sample from the beginning, so that the first increase is seen. */
  values?: readonly (readonly string[] | string)[];
  on: { [Type in EventType]?: (event: EventOf<Type>) => Count | Count[] };
}

const ONE: Count = {};

/** The values of the label `method`; any other method is `other`. */
const METHODS = ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE', 'OPTIONS'];

/** The services of Chrome, Firefox, Safari and Edge. */
const LARGE_PUSH_SERVICES =
  /^https:\/\/(?:fcm\.googleapis\.com|updates\.push\.services\.mozilla\.com|[\w.-]+\.push\.apple\.com|[\w.-]+\.notify\.windows\.com)$/u;

const SENT_OUTCOMES = ['delivered', 'failed', 'gone', 'dropped'] as const;

/** What a sender causes is no 5xx here: no alert may fire because of what one client sends. */
const CAUSED_BY_SENDER = ['share-full', 'unscannable'];

/** The only counter that is also raised without an event: by the documents that are sent. */
const REQUESTS = 'tayang_requests_total';

/** No label has a value that a client can choose, and none names a receiver. */
const COUNTERS: readonly CountedMetric[] = [
  {
    name: REQUESTS,
    help: 'Requests answered.',
    labels: ['origin', 'route', 'method', 'status'],
    on: {
      'request-answered'({ origin, route, method, status, code }) {
        return {
          labels: {
            origin,
            route: route ?? 'none',
            method: METHODS.includes(method) ? method : 'other',
            status: code !== null && CAUSED_BY_SENDER.includes(code) ? code : status,
          },
        };
      },
    },
  },
  {
    name: 'tayang_refusals_total',
    help: 'Requests refused, by the reason.',
    labels: ['origin', 'reason'],
    on: {
      'request-answered': ({ origin, code }) => (code ? { labels: { origin, reason: code } } : []),
    },
  },
  {
    name: 'tayang_connections_refused_total',
    help: 'Connections refused because the origin, or one client, had as many as it may have.',
    labels: ['origin', 'reason'],
    values: ['listing', 'uploads', 'operations'].flatMap((origin) => [
      [origin, 'full'],
      [origin, 'client-share'],
    ]),
    on: { 'connections-refused': ({ origin, reason, count }) => ({ labels: { origin, reason }, by: count }) },
  },
  {
    name: 'tayang_connections_closed_total',
    help: 'Connections closed without a response or before its end, by the reason.',
    labels: ['origin', 'reason'],
    on: { 'connections-closed': ({ origin, reason, count }) => ({ labels: { origin, reason }, by: count }) },
  },
  {
    name: 'tayang_refreshes_total',
    help: 'Crawls by this process, and peeks that failed, by how they ended.',
    labels: ['outcome'],
    values: ['ok', 'blocked', 'moved', 'changed', 'down'],
    on: {
      'refresh-finished': () => ({ labels: { outcome: 'ok' } }),
      'refresh-refused': ({ error }) => ({ labels: { outcome: outcomeOf(error) } }),
    },
  },
  {
    name: 'tayang_store_failures_total',
    help: 'Times that the store of the listing or of the uploads could not be read or written, or that a dependency began to fail.',
    on: { 'store-failed': () => ONE, 'dependency-down': () => ONE },
  },
  {
    name: 'tayang_webhook_messages_total',
    help: 'Messages delivered, attempts that failed, and messages that were dropped.',
    labels: ['outcome'],
    values: ['delivered', 'failed', 'dropped'],
    on: {
      'webhook-sent': () => ({ labels: { outcome: 'delivered' } }),
      'webhook-failed': () => ({ labels: { outcome: 'failed' } }),
      'webhook-dropped': ({ count }) => ({ labels: { outcome: 'dropped' }, by: count }),
    },
  },
  {
    name: 'tayang_push_messages_total',
    help: 'Push messages delivered, attempts that failed, subscriptions that had ended, and messages that were dropped.',
    labels: ['outcome'],
    values: SENT_OUTCOMES,
    on: {
      'push-sent': (sent) => SENT_OUTCOMES.map((outcome) => ({ labels: { outcome }, by: sent[outcome] })),
    },
  },
  {
    name: 'tayang_channel_messages_total',
    help: 'Messages delivered to channels, attempts that failed, channels that had ended, and messages that were dropped.',
    labels: ['outcome'],
    values: SENT_OUTCOMES,
    on: {
      'channels-sent': (sent) => SENT_OUTCOMES.map((outcome) => ({ labels: { outcome }, by: sent[outcome] })),
    },
  },
  {
    name: 'tayang_push_denials_total',
    help: 'Times that a large push service began to refuse PUSH_CONTACT or the keys of this installation.',
    // Anybody can subscribe with their own push service, which may refuse anything.
    on: { 'push-denied': ({ service }) => (LARGE_PUSH_SERVICES.test(service) ? ONE : []) },
  },
  {
    name: 'tayang_uploads_total',
    help: 'Files received.',
    on: { 'upload-received': () => ONE },
  },
  {
    name: 'tayang_upload_bytes_total',
    help: 'Bytes of the files received.',
    on: { 'upload-received': ({ size }) => ({ by: size }) },
  },
  {
    name: 'tayang_scans_total',
    help: 'Uploads passed to the malware scanner, by how that ended.',
    labels: ['outcome'],
    values: ['clean', 'found', 'unscannable', 'failed'],
    on: { 'upload-scanned': ({ outcome }) => ({ labels: { outcome } }) },
  },
  {
    name: 'tayang_reports_total',
    help: 'Reports of files.',
    labels: ['reason'],
    values: ['illegal', 'malware', 'copyright', 'privacy', 'spam', 'other'],
    on: { 'file-reported': ({ reason }) => ({ labels: { reason } }) },
  },
];

/** All counters of a thread. */
export interface Counters {
  countEvent(event: OperationalEvent): void;
  /** Counts a request that no event reports. */
  countRequest(labels: NonNullable<Count['labels']>): void;
}

/** Adds every counter to a registry. */
export function addCounters(registry: Registry): Counters {
  const metrics = COUNTERS.map((described) => ({ described, counter: addCounter(registry, described) }));
  const requests = metrics.find(({ described }) => described.name === REQUESTS)?.counter;
  return {
    countEvent(event) {
      for (const { described, counter } of metrics)
        for (const { labels = {}, by } of countsOf(described, event)) counter.inc(labels, by);
    },
    countRequest: (labels) => requests?.inc(labels),
  };
}

function addCounter(registry: Registry, { name, help, labels = [], values = [] }: CountedMetric) {
  const counter = new Counter<string>({ name, help, labelNames: labels, registers: [registry] });
  for (const value of values) counter.labels(...[value].flat()).inc(0);
  return counter;
}

function countsOf({ on }: CountedMetric, event: OperationalEvent): Count[] {
  // Each function is under the type of its event, which a type for all of them cannot say.
  return [on[event.type]?.(event as never) ?? []].flat();
}

function outcomeOf(error: unknown): string {
  return error instanceof AppError ? error.code.replace('source-', '') : 'internal';
}

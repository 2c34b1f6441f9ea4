import { Counter, type Registry } from '@prometheus-io/client';
import { AppError } from '../../domain/errors.ts';
import type { OperationalEvent } from '../../domain/operational-event.ts';
import CATALOGUE from './catalogue.json' with { type: 'json' };

/** `values`: the values of the label that have a sample from the beginning. */
interface Described {
  help: string;
  labels?: string[];
  values?: string[];
}

/** A counter, the values of its labels, and by how much it rises: by 1, if that is not said. */
type Counted = [name: keyof typeof CATALOGUE.counters, labels?: Record<string, string | number>, by?: number];

/** Adds every counter of the catalogue to a registry. Returns the function that counts. */
export function addCounters(registry: Registry): (...counted: Counted) => void {
  const counters = new Map<string, Counter<string>>();
  for (const [name, { help, labels = [], values = [] }] of Object.entries<Described>(CATALOGUE.counters)) {
    const counter = new Counter({ name, help, labelNames: labels, registers: [registry] });
    for (const value of values) counter.labels(value).inc(0);
    counters.set(name, counter);
  }
  return (name, labels = {}, by = 1) => counters.get(name)?.inc(labels, by);
}

/** The values of the label `method`; any other method is `other`. */
const METHODS = ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE', 'OPTIONS'];

const PUSH_OUTCOMES = ['delivered', 'failed', 'gone', 'dropped'] as const;

type EventOf<Type extends OperationalEvent['type']> = Extract<OperationalEvent, { type: Type }>;

/**
 * What each event counts. A sender over its own share gets 507, which is no failure of the service: its status is counted as
 * `share-full`, so that no alert on 5xx fires because one client uploads too much. No label has a
 * value that a client can choose, and none names a receiver.
 */
const COUNTS: { [Type in OperationalEvent['type']]?: (event: EventOf<Type>) => Counted[] } = {
  'request-answered'({ origin, route, status, code, ...event }) {
    const method = METHODS.includes(event.method) ? event.method : 'other';
    const labels = { origin, route: route ?? 'none', method, status: code === 'share-full' ? code : status };
    const answered: Counted = ['tayang_requests_total', labels];
    return code ? [answered, ['tayang_refusals_total', { origin, reason: code }]] : [answered];
  },
  'connections-refused': ({ origin, count }) => [['tayang_connections_refused_total', { origin }, count]],
  'connections-closed': ({ origin, reason, count }) => [
    ['tayang_connections_closed_total', { origin, reason }, count],
  ],
  'refresh-finished': () => [['tayang_refreshes_total', { outcome: 'ok' }]],
  'refresh-refused': ({ error }) => [['tayang_refreshes_total', { outcome: outcomeOf(error) }]],
  'store-failed': () => [['tayang_store_failures_total']],
  'dependency-down': () => [['tayang_store_failures_total']],
  'webhook-sent': () => [['tayang_webhook_messages_total', { outcome: 'delivered' }]],
  'webhook-failed': () => [['tayang_webhook_messages_total', { outcome: 'failed' }]],
  'webhook-dropped': ({ count }) => [['tayang_webhook_messages_total', { outcome: 'dropped' }, count]],
  'push-sent': (sent) =>
    PUSH_OUTCOMES.map((outcome) => ['tayang_push_messages_total', { outcome }, sent[outcome]]),
  'upload-received': ({ size }) => [['tayang_uploads_total'], ['tayang_upload_bytes_total', {}, size]],
  'upload-scanned': ({ outcome }) => [['tayang_scans_total', { outcome }]],
  'file-reported': ({ reason }) => [['tayang_reports_total', { reason }]],
};

export function countsOf(event: OperationalEvent): Counted[] {
  // Each function is under the type of its event, which a type for all of them cannot say.
  return COUNTS[event.type]?.(event as never) ?? [];
}

function outcomeOf(error: unknown): string {
  return error instanceof AppError ? error.code.replace('source-', '') : 'internal';
}

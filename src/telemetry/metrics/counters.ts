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

/** What an operational event counts. No label has a value that a client can choose, and none names a receiver. */
export function countsOf(event: OperationalEvent): Counted[] {
  switch (event.type) {
    case 'request-answered': {
      const { origin, route, status, code } = event;
      const method = METHODS.includes(event.method) ? event.method : 'other';
      const answered: Counted = ['tayang_requests_total', { origin, route: route ?? 'none', method, status }];
      return code ? [answered, ['tayang_refusals_total', { origin, reason: code }]] : [answered];
    }
    case 'connections-refused':
      return [['tayang_connections_refused_total', { origin: event.origin }, event.count]];
    case 'refresh-finished':
      return [['tayang_refreshes_total', { outcome: 'ok' }]];
    case 'refresh-refused':
      return [['tayang_refreshes_total', { outcome: outcomeOf(event.error) }]];
    case 'store-failed':
    case 'dependency-down':
      return [['tayang_store_failures_total']];
    case 'webhook-sent':
      return [['tayang_webhook_messages_total', { outcome: 'delivered' }]];
    case 'webhook-failed':
      return [['tayang_webhook_messages_total', { outcome: 'failed' }]];
    case 'webhook-dropped':
      return [['tayang_webhook_messages_total', { outcome: 'dropped' }, event.count]];
    case 'push-sent':
      return PUSH_OUTCOMES.map((outcome) => ['tayang_push_messages_total', { outcome }, event[outcome]]);
    case 'upload-received':
      return [['tayang_uploads_total'], ['tayang_upload_bytes_total', {}, event.size]];
    case 'upload-scanned':
      return [['tayang_scans_total', { outcome: event.outcome }]];
    case 'file-reported':
      return [['tayang_reports_total', { reason: event.reason }]];
    default:
      return [];
  }
}

function outcomeOf(error: unknown): string {
  return error instanceof AppError ? error.code.replace('source-', '') : 'internal';
}

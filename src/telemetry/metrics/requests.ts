import { Counter, Histogram, type Registry } from 'prom-client';
import type { OperationalEvent, Origin } from '../../domain/operational-event.ts';

/** The values of the label `method`; any other method is `other`. */
const METHODS = ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE', 'OPTIONS'];

/** The upper ones are for uploads and downloads, which take as long as the client's connection needs. */
const BUCKETS_S = [0.005, 0.05, 0.5, 5, 30, 300];

/** Limits the number of labels. Further documents are counted as `others`. */
const MAX_DOCUMENT_ROUTES = 200;

/** Counts requests, refusals and refused connections. No label has a value that a client can choose. */
export function countRequests(registry: Registry) {
  const registers = [registry];
  const requests = new Counter({
    name: 'tayang_requests_total',
    help: 'Requests answered.',
    labelNames: ['origin', 'route', 'method', 'status'] as const,
    registers,
  });
  const refusals = new Counter({
    name: 'tayang_refusals_total',
    help: 'Requests refused, by the reason.',
    labelNames: ['origin', 'reason'] as const,
    registers,
  });
  const refusedConnections = new Counter({
    name: 'tayang_connections_refused_total',
    help: 'Connections refused because the origin, or one client, had as many as it may have.',
    labelNames: ['origin'] as const,
    registers,
  });
  for (const origin of ['listing', 'uploads', 'operations']) refusedConnections.inc({ origin }, 0);
  const duration = new Histogram({
    name: 'tayang_request_duration_seconds',
    help: 'Time to a response; not of documents, whose time is that of the event loop.',
    labelNames: ['origin', 'route'] as const,
    buckets: BUCKETS_S,
    registers,
  });

  return {
    /** Returns a function that counts the documents that an origin sends. */
    countDocuments(origin: Origin) {
      const routes = new Set<string>();
      return (path: string, method: string, status: number): void => {
        if (routes.size < MAX_DOCUMENT_ROUTES) routes.add(path);
        requests.inc({ origin, route: routes.has(path) ? path : 'others', method, status });
      };
    },
    report(event: OperationalEvent): void {
      if (event.type === 'connections-refused') refusedConnections.inc({ origin: event.origin }, event.count);
      if (event.type !== 'request-answered') return;
      const { origin, status, code } = event;
      const route = event.route ?? 'none';
      const method = METHODS.includes(event.method) ? event.method : 'other';
      requests.inc({ origin, route, method, status });
      duration.observe({ origin, route }, event.tookMs / 1_000);
      if (code) refusals.inc({ origin, reason: code });
    },
  };
}

import { Counter, Histogram, type Registry } from 'prom-client';
import type { OperationalEvent, Origin } from '../../domain/operational-event.ts';
import { createRequestCounter, type RequestCounter } from './request-counter.ts';

/** Methods are whatever a client writes; labels are these. */
const METHODS = ['GET', 'HEAD', 'POST', 'DELETE', 'OPTIONS'];

/** Of uploads and downloads as well, which take as long as the client's line. */
const BUCKETS_S = [0.005, 0.05, 0.5, 5, 30, 300];

/** Requests by what came of them. No label takes a value that a client can choose. */
export function measureRequests(registry: Registry) {
  const tallies = new Map<Origin, RequestCounter>();
  const requests = new Counter({
    name: 'tayang_requests_total',
    help: 'Requests answered.',
    labelNames: ['origin', 'route', 'method', 'status'] as const,
    registers: [registry],
    collect() {
      for (const [origin, tally] of tallies) {
        for (const { count, ...labels } of tally.drain()) this.inc({ origin, ...labels }, count);
      }
    },
  });
  const refusals = new Counter({
    name: 'tayang_refusals_total',
    help: 'Requests refused, by the reason.',
    labelNames: ['origin', 'reason'] as const,
    registers: [registry],
  });
  const duration = new Histogram({
    name: 'tayang_request_duration_seconds',
    help: 'Time to an answer; not of ready documents, whose time is that of the event loop.',
    labelNames: ['origin', 'route'] as const,
    buckets: BUCKETS_S,
    registers: [registry],
  });

  return {
    /** Counts the ready documents of an origin. */
    countDocuments(origin: Origin): RequestCounter['add'] {
      const tally = createRequestCounter();
      tallies.set(origin, tally);
      return tally.add;
    },
    report(event: OperationalEvent): void {
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

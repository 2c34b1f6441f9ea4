import type { MeasuredServer } from './servers.ts';

/** Types of events in the service's log. */
type Kind = 'refresh-started' | 'refresh-finished' | 'snapshot-loaded';

export interface LogWatch {
  /** Resolves with the time of the next event of this type, ms since 1970. */
  next(kind: Kind): Promise<number>;
  /** The number of events of this type so far. */
  count(kind: Kind): number;
}

/** Follows the log of a service that runs with LOG_LEVEL=debug. */
export function watchLog(service: MeasuredServer): LogWatch {
  const counts = new Map<string, number>();
  const waiting = new Map<string, PromiseWithResolvers<number>>();
  service.onLine((line) => {
    const { type, time } = JSON.parse(line);
    counts.set(type, (counts.get(type) ?? 0) + 1);
    waiting.get(type)?.resolve(Date.parse(time));
    waiting.delete(type);
  });
  return {
    next(kind) {
      const waiter = waiting.get(kind) ?? Promise.withResolvers<number>();
      waiting.set(kind, waiter);
      return waiter.promise;
    },
    count: (kind) => counts.get(kind) ?? 0,
  };
}

import type { Origin, Report } from '../../domain/operational-event.ts';
import type { ConnectionLimits } from './connections.ts';

/** Reports how many connections a server refuses, and how many it closes without a response. */
export function reportConnections(
  origin: Origin | 'operations',
  report: Report,
): Pick<ConnectionLimits, 'onRefused' | 'onClosed'> {
  return {
    onRefused: (reason, count) => report({ type: 'connections-refused', origin, reason, count }),
    onClosed: (reason, count) => report({ type: 'connections-closed', origin, reason, count }),
  };
}

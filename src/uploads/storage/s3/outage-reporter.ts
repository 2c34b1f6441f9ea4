import type { Report } from '../../../domain/operational-event.ts';
import type { OnOutcome } from './client.ts';

/** S3 may take one kind of request and refuse another: that is one trouble, not many. */
const QUIET_MS = 5_000;

/** Tells the operator once when S3 begins to fail, and once when it answers again. `clock` tells ms since 1970. */
export function createOutageReporter(report: Report, clock: () => number): OnOutcome {
  let trouble: { since: number; last: number } | undefined;

  return (error) => {
    const now = clock();
    if (error && !trouble) {
      trouble = { since: now, last: now };
      report({ type: 'store-failed', doing: 'keeping uploads', error: error.cause });
    } else if (error && trouble) trouble.last = now;
    else if (trouble && now - trouble.last >= QUIET_MS) {
      report({ type: 'storage-restored', downMs: now - trouble.since });
      trouble = undefined;
    }
  };
}

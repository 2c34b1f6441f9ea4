import type { Report } from '../../../domain/report.ts';
import type { OnOutcome } from './client.ts';

/** Tells the operator once when S3 begins to fail, and once when it answers again. `clock` tells ms since 1970. */
export function followOutcomes(report: Report, clock: () => number): OnOutcome {
  let downSince: number | undefined;

  return (error) => {
    if (error && downSince === undefined) {
      downSince = clock();
      report({ type: 'store-failed', doing: 'keeping uploads', error: error.cause });
    }
    if (!error && downSince !== undefined) {
      report({ type: 'storage-restored', downMs: clock() - downSince });
      downSince = undefined;
    }
  };
}

import type { MessageCounts } from '../domain/operational-event.ts';

/** How long the counts of late messages are gathered. */
const REPORT_MS = 5_000;

/** Gathers counts, and reports them after each round, and some time after late messages. */
export function createCounts(report: (counts: MessageCounts) => void) {
  const nothing = { delivered: 0, failed: 0, gone: 0, dropped: 0, reason: null as string | null };
  let counts = nothing;
  let reporting: NodeJS.Timeout | undefined;

  function reportNow(isRetry: boolean): void {
    clearTimeout(reporting);
    reporting = undefined;
    if (counts === nothing) return;
    report({ isRetry, ...counts });
    counts = nothing;
  }

  return {
    count(what: 'delivered' | 'failed' | 'gone' | 'dropped', reason = counts.reason): void {
      counts = { ...counts, [what]: counts[what] + 1, reason };
      reporting ??= setTimeout(reportNow, REPORT_MS, true).unref();
    },
    onRound: () => reportNow(false),
  };
}

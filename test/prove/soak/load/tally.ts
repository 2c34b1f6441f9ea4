/** What the load saw since the last report. Latencies are in ms. */
export interface LoadReport {
  latencies: { read: number[]; upload: number[] };
  /** The number of exchanges by kind and outcome: `read 304`. */
  outcomes: Record<string, number>;
  /** Of these, the ones that a well-behaved client should not get, or that a hostile one should not achieve. */
  errors: Record<string, number>;
}

const emptyReport = (): LoadReport => ({ latencies: { read: [], upload: [] }, outcomes: {}, errors: {} });

export function createTally() {
  let report = emptyReport();
  const add = (counts: Record<string, number>, outcome: string) => {
    counts[outcome] = (counts[outcome] ?? 0) + 1;
  };
  return {
    count: (kind: string, outcome: string | number) => add(report.outcomes, `${kind} ${outcome}`),
    /** Counts an outcome, as an error where it is not one of the expected ones. */
    expect(kind: string, outcome: string | number, expected: readonly (string | number)[]) {
      add(report.outcomes, `${kind} ${outcome}`);
      if (!expected.includes(outcome)) add(report.errors, `${kind} ${outcome}`);
    },
    time: (kind: keyof LoadReport['latencies'], ms: number) => void report.latencies[kind].push(ms),
    /** Resolves with the report, and begins a new one. */
    take(): LoadReport {
      const taken = report;
      report = emptyReport();
      return taken;
    },
  };
}

export type Tally = ReturnType<typeof createTally>;

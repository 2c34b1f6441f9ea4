type Outcomes = Record<string, number>;

/** What the load saw since the last report. */
export interface LoadReport {
  /** The number of exchanges by kind and outcome: `read 304`. */
  outcomes: Outcomes;
  /** Of these, the ones that a well-behaved client should not get, or that a hostile one should not achieve. */
  errors: Outcomes;
}

export type Tally = ReturnType<typeof createTally>;

export function createTally() {
  let report: LoadReport = { outcomes: {}, errors: {} };
  const add = (counts: Outcomes, outcome: string) => {
    counts[outcome] = (counts[outcome] ?? 0) + 1;
  };
  return {
    count: (kind: string, outcome: string | number) => add(report.outcomes, `${kind} ${outcome}`),
    /** Counts an outcome, as an error where it is not one of the expected ones. */
    expect(kind: string, outcome: string | number, expected: readonly (string | number)[]) {
      add(report.outcomes, `${kind} ${outcome}`);
      if (!expected.includes(outcome)) add(report.errors, `${kind} ${outcome}`);
    },
    /** Returns the report, and begins a new one. */
    take(): LoadReport {
      const taken = report;
      report = { outcomes: {}, errors: {} };
      return taken;
    },
  };
}

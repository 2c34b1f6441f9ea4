type Outcomes = Record<string, number>;

/** What the load saw since the last report. */
export interface LoadReport {
  /** The number of exchanges by kind and outcome: `read 304`. */
  outcomes: Outcomes;
  /** Of these, the ones that a well-behaved client should not get, or that a hostile one should not achieve. */
  errors: Outcomes;
}

/** More exchanges of one kind are not under way at once; the ones that are due then are left out, which is an error. */
const MAX_UNDER_WAY = 60;

export type Tally = ReturnType<typeof createTally>;

export function createTally() {
  let report: LoadReport = { outcomes: {}, errors: {} };
  const add = (counts: Outcomes, outcome: string) => {
    counts[outcome] = (counts[outcome] ?? 0) + 1;
  };

  /** Counts an outcome, as an error where it is not one of the expected ones. */
  function expect(kind: string, outcome: string | number, expected: readonly (string | number)[]): void {
    add(report.outcomes, `${kind} ${outcome}`);
    if (!expected.includes(outcome)) add(report.errors, `${kind} ${outcome}`);
  }

  return {
    expect,

    /** Does something at a steady rate, whether or not the one before has ended. `turn` counts from 0. */
    every(intervalMs: number, kind: string, act: (turn: number) => Promise<void>): void {
      let turn = 0;
      let underWay = 0;
      setInterval(async () => {
        if (underWay >= MAX_UNDER_WAY) return expect(kind, 'left out', []);
        underWay += 1;
        turn += 1;
        await act(turn - 1).catch((error: NodeJS.ErrnoException) =>
          expect(kind, error.code ?? error.message, []),
        );
        underWay -= 1;
      }, intervalMs);
    },

    /** Returns the report, and begins a new one. */
    take(): LoadReport {
      const taken = report;
      report = { outcomes: {}, errors: {} };
      return taken;
    },
  };
}

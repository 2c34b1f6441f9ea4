/** An operation on a data folder that a fault interrupts, and what must be true of the folder afterwards. */
export interface Operation {
  /** Runs in the process that is interrupted, before the fault is armed. `site`: the origin of a source site. */
  prepare(folder: string, site: string): Promise<Prepared>;
  /** Runs in another process. Throws when something acknowledged is missing, or something half done is visible. */
  check(folder: string, outcome: Outcome, site: string): Promise<void>;
}

interface Prepared {
  /** What `check` needs of the state before the operation, as plain data. */
  before: unknown;
  /** The operation. It calls `acknowledge` with each result that a client would be sent. */
  run(acknowledge: (result: unknown) => void): Promise<void>;
}

export interface Outcome {
  before: unknown;
  acknowledged: unknown[];
}

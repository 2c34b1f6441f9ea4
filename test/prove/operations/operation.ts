/** Where an operation runs. */
export interface Place {
  /** `file:FOLDER` or `s3://BUCKET`, as UPLOAD_STORAGE_URL has it. */
  storage: string;
  /** DATA_DIR. */
  folder: string;
  /** The origin of a source site. */
  site: string;
}

/** An operation that a fault disturbs, and what must be true afterwards. */
export interface Operation {
  /** Runs before the fault is armed, in the process that is disturbed. */
  prepare(place: Place): Promise<Prepared>;
  /**
   * Runs without faults, as another process. Throws when something acknowledged is missing, or something half done is
   * visible. `endDisturbed`: ends the disturbed process where that still runs.
   */
  check(place: Place, outcome: Outcome, endDisturbed?: () => Promise<void>): Promise<void>;
}

export interface Prepared {
  /** What `check` needs of the state before the operation, as plain data. */
  before: unknown;
  /** The operation. It calls `acknowledge` with each result that a client would be sent, as plain data. */
  run(acknowledge: (result: unknown) => void): Promise<void>;
  /** Ends what was opened, as a service does that is stopped. */
  end(): Promise<void>;
}

export interface Outcome {
  before: unknown;
  acknowledged: unknown[];
}

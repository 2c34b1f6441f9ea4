/** What a refresh makes of a fault. Times in ms. */
export interface RefreshOutcome {
  /** What readers were served otherwise than before the fault. */
  differences: string[];
  /** The state of the source under the fault with its reason, and the state after it. */
  state: string | null;
  reason: string | null;
  stateAfter: string | null;
  /** How often the log said that the state had changed for the worse. */
  news: number;
  /** What the log said of trouble during the attempts under the fault, the end of an attempt left out. */
  troubles: string[];
  /** How often the fault was met. */
  struck: number;
  /** The longest attempt under the fault. */
  attemptMs: number;
  /** What `npm run refresh` did under the fault. */
  command: { exitCode: number | string; output: string; tookMs: number };
  /** Requests in all that the other site got, and those that the configured one got from the command. */
  otherAsked: number;
  configuredAskedByCommand: number;
}

/** What a service makes of it, as seen from outside. */
export interface ServiceOutcome extends RefreshOutcome {
  /** How many answers readers got. */
  answers: number;
  /** What `Cache-Status` said: under the fault, after it, and in a service started under it. */
  detail: string;
  detailAfter: string;
  detailRestarted: string;
  /** The status of /readyz under the fault. */
  readyStatus: number;
  /** Failed attempts, those included that began under the fault and outlasted it. */
  failures: number;
  /** From the end of the last attempt under the fault to the start of the next. */
  pauseMs: number;
  /** From the last request of that attempt, or from its start where the site got none, to the start of the next. */
  sinceLastRequestMs: number;
  /** From the end of the fault to that of the first good crawl after it, and how many attempts that took. */
  recoveryMs: number;
  attemptsToRecover: number;
}

/** The states that /readyz and the metrics show, as plain data. */

/** What the jobs of a process may depend on outside of it. */
export type DependencyName = 'store' | 'storage' | 'limiter' | 'quota' | 'scanner';

/** Whether a dependency works for this process; `absent` where the process does not use it. */
type DependencyState = 'ok' | 'down' | 'absent';

export type Dependencies = Readonly<Record<DependencyName, DependencyState>>;

/** The dependencies that a thread has checked. */
export type CheckedDependencies = Partial<Record<DependencyName, 'ok' | 'down'>>;

/** Why dependencies do not work, for the public: without paths and addresses. */
export type DependencyReasons = Partial<Record<DependencyName, string>>;

/** Rejects if the dependency is down, or if `signal` aborts before it answered. */
export type DependencyCheck = (signal: AbortSignal) => Promise<void>;

export type DependencyChecks = Partial<Record<DependencyName, DependencyCheck>>;

/** The state of a supervised thread; `since` in ms since 1970. */
export interface ThreadState {
  state: 'starting' | 'running' | 'restarting' | 'stopped';
  since: number;
  restarts: number;
  /** Why it was last restarted or stopped; null when neither has happened. */
  reason: string | null;
}

/** The state of one receiver of webhooks; times in ms since 1970. It is public, so it has no secret in it. */
export interface WebhookState {
  /** The origin of its address, or `telegram`; with its number where several receivers have the same. */
  receiver: string;
  /** `standby`: another process sends. `gone`: it answered 410, and gets nothing until the service is restarted. */
  state: 'ok' | 'failing' | 'gone' | 'standby';
  /** Since when it has been failing; null when it is not. */
  since: number | null;
  /** Why the last attempt failed. */
  reason: string | null;
  /** Messages that wait to be sent. */
  pending: number;
  /** Messages that were dropped, because it failed for a day or refused them. */
  dropped: number;
  /** When it is tried again; null when it is not failing. */
  nextAttempt: number | null;
}

/** The public reason of a failure that only the log explains. */
export const UNKNOWN_FAILURE = 'it does not answer as it should; the log says why';

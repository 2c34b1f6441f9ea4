/** The state of a supervised thread; `since` in ms since 1970. */
export interface ThreadState {
  state: 'starting' | 'running' | 'restarting' | 'stopped';
  since: number;
  restarts: number;
  /** Why it was last restarted or stopped; null when neither has happened. */
  reason: string | null;
}

/** How a supervised thread is; `since` in ms since 1970. */
export interface ThreadState {
  state: 'starting' | 'running' | 'restarting' | 'stopped';
  since: number;
  restarts: number;
  /** Why it was last restarted; null when it never was. */
  reason: string | null;
}

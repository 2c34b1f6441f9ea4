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

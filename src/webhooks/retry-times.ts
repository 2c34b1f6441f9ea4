const FIRST_MS = 5_000;
const MAX_MS = 30 * 60_000;
/** A longer Retry-After is cut to this. */
const MAX_RETRY_AFTER_MS = 6 * 3_600_000;
/** Spreads the attempts of many senders. */
const JITTER = 0.2;

export interface RetryOptions {
  /** The wait after the first failure; it doubles with each further one, up to half an hour. */
  firstMs?: number;
  /** From 0 to 1. */
  random: () => number;
}

/** The wait after so many failures in a row, at least what the receiver asks for. */
export function retryWaitMs(
  failures: number,
  retryAfterMs: number,
  { firstMs = FIRST_MS, random }: RetryOptions,
): number {
  const backoffMs = Math.min(firstMs * 2 ** (failures - 1), MAX_MS);
  return Math.max(
    Math.round(backoffMs * (1 + JITTER * random())),
    Math.min(retryAfterMs, MAX_RETRY_AFTER_MS),
  );
}

/** No wait is longer, whatever the clock has been set to meanwhile. */
export const MAX_WAIT_MS = MAX_RETRY_AFTER_MS;

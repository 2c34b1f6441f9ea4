import { HOUR_MS, MINUTE_MS } from '../domain/units.ts';

const FIRST_MS = 5_000;
const MAX_MS = 30 * MINUTE_MS;
/** A longer wait that a receiver asks for is cut to this. */
export const MAX_RETRY_AFTER_MS = 6 * HOUR_MS;
/** Spreads the attempts of many senders. */
const JITTER = 0.2;

export interface RetryOptions {
  /** The wait after the first failure; it doubles with each further one, up to half an hour. */
  firstMs?: number;
  /** From 0 to 1. */
  random: () => number;
}

/** Returns the wait after a number of failures in a row; it is at least what the receiver asks for. */
export function retryWaitMs(failures: number, retryAfterMs: number, retry: RetryOptions): number {
  const { firstMs = FIRST_MS, random } = retry;
  const backoffMs = Math.min(firstMs * 2 ** (failures - 1), MAX_MS) * (1 + JITTER * random());
  return Math.max(Math.round(backoffMs), retryAfterMs);
}

import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../domain/errors.ts';
import type { Report } from '../domain/report.ts';

/** How often one request is made at the most. */
const ATTEMPTS = 3;
/** The longest wait within a crawl; a source that asks for more is left alone until the next one. */
const LONGEST_WAIT_MS = 2_000;
const FIRST_BACKOFF_MS = 250;

/**
 * Tries what may be over in a moment again, with backoff and jitter: a source that is down, or one that says how
 * long to wait. What a crawl may lose on that is limited for all its requests together, so that a source that
 * fails a little everywhere ends a crawl as surely as one that is gone.
 */
export type Patience = <Result>(what: string, attempt: () => Promise<Result>) => Promise<Result>;

export interface PatienceOptions {
  /** The longest that one attempt takes. */
  timeoutMs: number;
  random: () => number;
  report: Report;
  signal: AbortSignal;
}

export function createPatience({ timeoutMs, random, report, signal }: PatienceOptions): Patience {
  let leftMs = (ATTEMPTS + 1) * timeoutMs;

  return async (what, attempt) => {
    for (let tried = 1; ; tried += 1) {
      const startedAt = performance.now();
      try {
        return await attempt();
      } catch (error) {
        leftMs -= performance.now() - startedAt;
        const waitMs = isPassing(error) ? (error.retryAfterMs ?? backoffMs(tried)) : Number.POSITIVE_INFINITY;
        if (tried === ATTEMPTS || waitMs > LONGEST_WAIT_MS || waitMs > leftMs) throw error;
        leftMs -= waitMs;
        report({ type: 'attempt-failed', what, error, retryInMs: Math.round(waitMs) });
        await sleep(waitMs, undefined, { signal });
      }
    }
  };

  function backoffMs(tried: number): number {
    return Math.min(FIRST_BACKOFF_MS * 2 ** (tried - 1) * (1 + random()), timeoutMs);
  }
}

function isPassing(error: unknown): error is AppError {
  return error instanceof AppError && (error.code === 'source-down' || error.retryAfterMs !== undefined);
}

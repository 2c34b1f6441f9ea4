import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../domain/errors.ts';
import type { Report } from '../domain/operational-event.ts';

/** How often one request is made at the most. */
const ATTEMPTS = 3;
/** The longest wait within a crawl; a source that asks for more is left alone until the next one. */
const MAX_WAIT_MS = 2_000;
const FIRST_BACKOFF_MS = 250;
/** A whole crawl takes no longer than so many timeouts, and the delay before each of its requests. */
const MAX_TIMEOUTS = 12;

/**
 * Tries what may be over in a moment again, with backoff and jitter: a source that is down, or one that says how
 * long to wait. What a crawl may lose on that is limited for all its requests together, so that a source that
 * fails a little everywhere ends a crawl as surely as one that is gone. The crawl as a whole is limited too: a source
 * may answer each request in time and never come to an end. `attempt` gets a signal that ends it with the crawl.
 */
export type Retry = <Result>(
  what: string,
  attempt: (signal: AbortSignal) => Promise<Result>,
) => Promise<Result>;

export interface RetryOptions {
  /** The longest that one attempt takes. */
  timeoutMs: number;
  /** The least time between two requests. */
  delayMs: number;
  random: () => number;
  report: Report;
  signal: AbortSignal;
}

export function createRetry(options: RetryOptions): Retry {
  const { timeoutMs, delayMs, random, report, signal } = options;
  const maxMs = MAX_TIMEOUTS * timeoutMs;
  let endsAt = performance.now() + maxMs;
  let leftMs = (ATTEMPTS + 1) * timeoutMs;

  return async (what, attempt) => {
    for (let tried = 1; ; tried += 1) {
      const startedAt = performance.now();
      try {
        return await attemptInTime(attempt);
      } catch (error) {
        leftMs -= performance.now() - startedAt;
        const waitMs = isPassing(error) ? (error.retryAfterMs ?? backoffMs(tried)) : Number.POSITIVE_INFINITY;
        const waitsTooLong = waitMs > Math.min(MAX_WAIT_MS, leftMs, endsAt - performance.now());
        if (tried === ATTEMPTS || waitsTooLong) throw error;
        leftMs -= waitMs;
        report({ type: 'attempt-failed', what, error, retryInMs: Math.round(waitMs) });
        await sleep(waitMs, undefined, { signal });
      }
    }
  };

  async function attemptInTime<Result>(attempt: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    endsAt += delayMs;
    const remainingMs = endsAt - performance.now();
    if (remainingMs <= 0) throw takesTooLong();
    const end = AbortSignal.timeout(Math.ceil(remainingMs));
    return attempt(AbortSignal.any([signal, end])).catch((error: unknown) => {
      throw end.aborted && !signal.aborted ? takesTooLong() : error;
    });
  }

  function takesTooLong(): AppError {
    const advice = 'raise SOURCE_TIMEOUT if the source is only slow';
    return new AppError('source-down', `the crawl took longer than ${maxMs} ms and its delays; ${advice}`);
  }

  function backoffMs(tried: number): number {
    return Math.min(FIRST_BACKOFF_MS * 2 ** (tried - 1) * (1 + random()), timeoutMs);
  }
}

function isPassing(error: unknown): error is AppError {
  return error instanceof AppError && (error.code === 'source-down' || error.retryAfterMs !== undefined);
}

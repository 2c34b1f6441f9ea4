import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../domain/errors.ts';
import type { Report } from '../domain/operational-event.ts';

/** The most attempts at one request. */
const MAX_ATTEMPTS = 3;
/** The longest wait within a crawl. A source that asks for a longer one is not asked again until the next crawl. */
const MAX_WAIT_MS = 2_000;
const FIRST_BACKOFF_MS = 250;
/** A crawl takes at most this many timeouts, plus the delay before each of its requests. */
const MAX_TIMEOUTS = 12;

/**
 * Calls `attempt` again after a transient failure, with backoff and jitter: the source is down, or says how long to
 * wait. All requests of a crawl share one budget of time for failures, so that a source that often fails ends the crawl
 * like one that is gone. The whole crawl has a time limit as well, because a source may answer every request in time and
 * never end. `attempt` gets a signal that aborts when the crawl ends; `what` names the request in events.
 */
export type Retry = <Result>(
  what: string,
  attempt: (signal: AbortSignal) => Promise<Result>,
) => Promise<Result>;

interface RetryOptions {
  /** The time limit of one attempt. */
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
  let budgetMs = (MAX_ATTEMPTS + 1) * timeoutMs;

  return async (what, attempt) => {
    for (let attempts = 1; ; attempts += 1) {
      const startedAt = performance.now();
      try {
        return await attemptWithinLimit(attempt);
      } catch (error) {
        budgetMs -= performance.now() - startedAt;
        const waitMs = isTransient(error)
          ? (error.retryAfterMs ?? backoffMs(attempts))
          : Number.POSITIVE_INFINITY;
        const exceedsLimits = waitMs > Math.min(MAX_WAIT_MS, budgetMs, endsAt - performance.now());
        if (attempts === MAX_ATTEMPTS || exceedsLimits) throw error;
        budgetMs -= waitMs;
        report({ type: 'attempt-failed', what, error, retryInMs: Math.round(waitMs) });
        await sleep(waitMs, undefined, { signal });
      }
    }
  };

  async function attemptWithinLimit<Result>(
    attempt: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    endsAt += delayMs;
    const remainingMs = endsAt - performance.now();
    if (remainingMs <= 0) throw crawlTimeout();
    const end = AbortSignal.timeout(Math.ceil(remainingMs));
    return attempt(AbortSignal.any([signal, end])).catch((error: unknown) => {
      throw end.aborted && !signal.aborted ? crawlTimeout() : error;
    });
  }

  function crawlTimeout(): AppError {
    const advice = 'raise SOURCE_TIMEOUT if the source is only slow';
    return new AppError('source-down', `the crawl took longer than ${maxMs} ms and its delays; ${advice}`);
  }

  function backoffMs(attempts: number): number {
    return Math.min(FIRST_BACKOFF_MS * 2 ** (attempts - 1) * (1 + random()), timeoutMs);
  }
}

function isTransient(error: unknown): error is AppError {
  return error instanceof AppError && (error.code === 'source-down' || error.retryAfterMs !== undefined);
}

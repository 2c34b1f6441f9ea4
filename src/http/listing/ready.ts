import { AppError } from '../../domain/errors.ts';
import type { Edition } from '../../publishing/edition.ts';
import type { ListingView } from '../health.ts';

/** A crawl takes some seconds. */
const CRAWL_MS = 10_000;
/** Where another process does the crawling, nobody here knows when. */
const UNKNOWN_WAIT_MS = 60_000;

/** Throws AppError `not-ready` before the first snapshot, or `source-…` where the source is why there is none. */
export function ready(view: ListingView): Edition {
  const edition = view.edition();
  if (edition) return edition;
  throw whyNotReady(view);
}

/** `Retry-After` follows the next attempt. */
function whyNotReady(view: ListingView): AppError {
  const current = view.state();
  if (!current || current.isRefreshing) {
    const message = 'the first crawl has not finished yet; try again in a moment';
    return new AppError('not-ready', message, { retryAfterMs: CRAWL_MS });
  }
  const { nextAttempt } = current;
  const waitMs = nextAttempt === null ? UNKNOWN_WAIT_MS : Math.max(0, nextAttempt - view.now());
  const retryAfterMs = waitMs + CRAWL_MS;
  const next =
    nextAttempt === null ? 'try again later' : `the next attempt is at ${iso(nextAttempt)}; try again then`;
  const { state, reason } = current.source;
  if (state === null || state === 'ok') {
    return new AppError('not-ready', `there is no listing yet; ${next}`, { retryAfterMs });
  }
  return new AppError(`source-${state}`, `the first crawl failed: ${reason}; ${next}`, { retryAfterMs });
}

const iso = (ms: number) => new Date(ms).toISOString();

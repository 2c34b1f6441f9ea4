import { AppError } from '../../domain/errors.ts';
import type { Edition } from '../../publishing/edition.ts';
import type { ListingView } from '../health.ts';

/** About how long a crawl takes. */
const CRAWL_MS = 10_000;
/** How long to wait if another process crawls, whose schedule this one cannot see. */
const UNKNOWN_WAIT_MS = 60_000;

/** Returns the current edition. Before the first one, throws AppError `not-ready`, or `source-…` with the reason. */
export function requireEdition(view: ListingView): Edition {
  const edition = view.edition();
  if (edition) return edition;
  throw explainAbsence(view);
}

/** Returns the reason why there is no edition. `Retry-After` lasts until the next attempt has ended. */
function explainAbsence(view: ListingView): AppError {
  const listing = view.state();
  if (!listing || listing.isRefreshing) {
    const message = 'the first crawl has not finished yet; try again in a moment';
    return new AppError('not-ready', message, { retryAfterMs: CRAWL_MS });
  }
  const { nextAttempt } = listing;
  const waitMs = nextAttempt === null ? UNKNOWN_WAIT_MS : Math.max(0, nextAttempt - view.now());
  const retryAfterMs = waitMs + CRAWL_MS;
  const advice =
    nextAttempt === null
      ? 'try again later'
      : `the next attempt is at ${new Date(nextAttempt).toISOString()}; try again then`;
  const { state, reason } = listing.source;
  if (state === null || state === 'ok') {
    return new AppError('not-ready', `there is no listing yet; ${advice}`, { retryAfterMs });
  }
  return new AppError(`source-${state}`, `the first crawl failed: ${reason}; ${advice}`, { retryAfterMs });
}

export function refuseSlug(): never {
  throw new AppError('not-found', 'no anime with this slug is listed, or was in the last 90 days');
}

/**
 * Returns a slug as the listing writes it: with lower-case percent-escapes outside ASCII. Clients may write the escapes
 * in capitals, and a query arrives with its escapes decoded.
 */
export function normalizeSlug(slug: string): string {
  if (/^[a-z0-9-]*$/u.test(slug)) return slug;
  const escaped = slug.isWellFormed() ? slug.replace(/[^ -~]+/gu, encodeURIComponent) : slug;
  return escaped.replace(/%[0-9a-f]{2}/giu, (code) => code.toLowerCase());
}
